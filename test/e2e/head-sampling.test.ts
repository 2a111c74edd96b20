import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Batch, ngFailures, playBatch } from './support/batch.ts';
import { searchEach, tracesWith } from './support/jaeger-search.ts';
import { type Collector, type Jaeger, startCollector, startJaeger } from './support/peers.ts';

let jaeger: Jaeger;
let collector: Collector;

beforeAll(async () => {
  jaeger = await startJaeger();
  collector = await startCollector(jaeger, mkdtempSync(path.join(tmpdir(), 'head-')));
});
afterAll(async () => {
  await Promise.all([collector?.program.stop(), jaeger?.program.stop()]);
});

/** What `reconcile --json` says, as far as it is needed here. */
interface Outcome {
  readonly clean: boolean;
  readonly matched: number;
  readonly findings: readonly { readonly finding: string; readonly eventId: string }[];
  readonly sampledOut: readonly { readonly eventId: string }[];
}

async function reconcile(batch: Batch, ...args: string[]): Promise<{ code: number | null; outcome: Outcome }> {
  const options = ['--jaeger', jaeger.url, '--since', '1h', '--json', ...args];
  const { code, stdout } = await ngFailures(['reconcile', ...batch.rowFiles, ...options]);
  return { code, outcome: JSON.parse(stdout) };
}

describe.each([
  { percent: 0, rollouts: 25 },
  { percent: 10, rollouts: 100 },
])('when servers sample $percent % of the traces', ({ percent, rollouts }) => {
  let batch: Batch;
  let missing: string[];

  beforeAll(async () => {
    batch = await playBatch({
      jaeger,
      collector,
      args: ['--rollouts', String(rollouts), '--concurrency', '16'],
      env: { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: String(percent / 100) },
    });
    const found = await searchEach(jaeger.url, batch);
    missing = [...found].filter(([, events]) => events.length === 0).map(([id]) => id);
  });

  it('rows and headers are complete', () => {
    expect(batch.outcome).toContain('Each row is as its story tells');
    expect(batch.code).toBe(0);
  });

  it('traces of whole rollouts are left out, and no part of one', async () => {
    const missed = new Set(missing);
    let kept = 0;
    for (const { rolloutId, eventIds } of batch.rows) {
      const traces = await tracesWith(jaeger.url, 'agent', { 'nemo.gym.rollout.id': rolloutId });
      kept += traces.length;
      for (const id of eventIds) expect(missed.has(id)).toBe(traces.length === 0);
    }
    if (percent === 0) expect(kept).toBe(0);
    // Of 100 rollouts 10 in the mean: fewer than one or more than 30 is one in ten thousand.
    else expect(kept > 0 && kept <= 30, `${kept} kept`).toBe(true);
  });

  it('reconcile says exactly which ids are missing, and that sampling explains it', async () => {
    const { code, outcome } = await reconcile(batch, '--sampled');
    expect(outcome.sampledOut.map(({ eventId }) => eventId).sort()).toEqual([...missing].sort());
    expect(outcome.findings).toEqual([]);
    expect(outcome.matched).toBe(batch.events.size - missing.length);
    expect(code).toBe(0);
  });

  it('and without being told of sampling names each of them as missing', async () => {
    const { code, outcome } = await reconcile(batch);
    const named = outcome.findings.filter(({ finding }) => finding === 'missing_in_traces');
    expect([...new Set(named.map(({ eventId }) => eventId))].sort()).toEqual([...missing].sort());
    expect(code).toBe(1);
  });
});
