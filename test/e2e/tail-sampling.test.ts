import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Batch, playBatch } from './support/batch.ts';
import { type FoundEvent, searchEach, tracesWith } from './support/jaeger-search.ts';
import { failingSpan, healthySpan, sendSpans } from './support/otlp.ts';
import { type Collector, type Jaeger, startCollector, startJaeger } from './support/peers.ts';
import { acceptedSpans, rolloutsInFile } from './support/spans-file.ts';
import { until } from './support/until.ts';

const ROLLOUTS = 2_000;
const HEALTHY_PERCENT = 80;
const KEPT_PERCENT = 1;

let jaeger: Jaeger;
let collector: Collector;
let batch: Batch;
let found: Map<string, FoundEvent[]>;
let spans: number;

beforeAll(async () => {
  jaeger = await startJaeger();
  collector = await startCollector(jaeger, mkdtempSync(path.join(tmpdir(), 'tail-')), {
    HEALTHY_PERCENT: String(KEPT_PERCENT),
  });
  const args = ['--rollouts', String(ROLLOUTS), '--healthy', String(HEALTHY_PERCENT), '--concurrency', '32'];
  batch = await playBatch({ jaeger, collector, args });
  found = await searchEach(jaeger.url, batch);
  spans = await acceptedSpans(collector.metricsUrl);
}, 600_000);

afterAll(async () => {
  await Promise.all([collector?.program.stop(), jaeger?.program.stop()]);
});

describe(`${ROLLOUTS} rollouts, ${KEPT_PERCENT} % of the healthy traces kept`, () => {
  it('every failure id of the rows is in Jaeger, and the reconciliation says so', () => {
    const lost = [...found].filter(([, events]) => events.length === 0);
    const [, seconds = '', perSecond = ''] = /in (\S+) s: (\S+) a second/.exec(batch.stdout) ?? [];
    console.log(
      `load: ${perSecond} rollouts a second, ${Math.round(spans / Number(seconds))} spans a second ` +
        `(${ROLLOUTS} rollouts, ${spans} spans, ${seconds} s); ${batch.events.size} ids, ids lost: ${lost.length}`,
    );
    expect(lost).toEqual([]);
    expect(batch.events.size).toBeGreaterThan(700);
    expect(batch.outcome).toContain('all ids on both sides');
    expect(batch.code).toBe(0);
    expect(Number(perSecond)).toBeGreaterThan(1);
    expect(spans).toBeGreaterThan(ROLLOUTS * 10);
  });

  it('about that share of the healthy ones is there, and all others', () => {
    const kept = rolloutsInFile(collector.tracesFile);
    const isHealthy = ({ eventIds, omitted }: Batch['rows'][number]): boolean => eventIds.length === 0 && !omitted;
    const failing = new Set(batch.rows.filter((row) => !isHealthy(row)).map(({ rolloutId }) => rolloutId));
    const healthy = batch.rows.map(({ rolloutId }) => rolloutId).filter((id) => !failing.has(id));
    expect([...failing].filter((id) => !kept.has(id))).toEqual([]);
    expect(healthy.length).toBeGreaterThan(1_500);
    // 16 or 17 in the mean.
    const share = healthy.filter((id) => kept.has(id)).length;
    expect(share > 2 && share < 45, `${share} of ${healthy.length}`).toBe(true);
  });
});

it('a failure is kept at once, whenever it comes while its rollout is open, with what came before', async () => {
  const roots = Array.from({ length: 20 }, () => healthySpan('late'));
  // Spans of rollouts that go on: their roots come last.
  const early = roots.map((root) => ({ ...root, parentSpanId: root.traceId.slice(0, 16) }));
  await sendSpans(collector.otlpHttpUrl, early);
  await delay(6_000);
  const late = roots.map((root) => failingSpan('late', root));
  await sendSpans(collector.otlpHttpUrl, late);
  for (const { eventId, spanId, parentSpanId } of late) {
    const search = () => tracesWith(jaeger.url, 'late', { 'nemo.gym.failure.event_id': eventId });
    await until(async () => (await search())[0]?.spans.length === 2, 10_000);
    const [trace] = await search();
    expect(trace?.spans.map(({ spanID }) => spanID).sort()).toEqual([spanId, parentSpanId].sort());
  }
});
