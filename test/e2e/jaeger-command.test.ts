import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeJaeger } from '../support/fake-jaeger.ts';
import { agentFailure, attempt, eventId, jsonl, reportOf, rolloutId, row, traceId } from '../support/rows.ts';
import { spanEvent } from '../support/rows-traces.ts';
import { timedSpan } from '../support/timed-span.ts';
import { ngFailures } from './support/batch.ts';
import { answerOf } from './support/jaeger-answer.ts';
import { sendOtlp } from './support/otlp.ts';
import { type Jaeger, startJaeger } from './support/peers.ts';
import { until } from './support/until.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'jaeger-command-'));
const HOUR_NS = 3_600_000_000_000n;
const NOW = BigInt(Date.now()) * 1_000_000n;
/** Rollouts of the last hours, one every ten seconds. */
const SPREAD = 1500;
/** The first of those that all start in one microsecond, and how many they are. */
const BURST = 5000;
const BURST_SIZE = 450;
/** A rollout of two days ago. */
const OLD = 7000;
/** Other people's. */
const OTHERS = 9000;
const EVIL = '\u001b[31m"}\u202e\n&#';

let jaeger: Jaeger;

beforeAll(async () => {
  jaeger = await startJaeger();
});
afterAll(async () => {
  await jaeger?.program.stop();
  rmSync(folder, { recursive: true, force: true });
});

const eventsOf = (index: number) => {
  const first = attempt(eventId(index, 0));
  return [first, agentFailure(eventId(index, 1), first.event_id)] as const;
};
const rowOf = (index: number) => {
  const events = eventsOf(index);
  return row(index, reportOf(events, { failure_id: events[1].event_id }));
};

/** A rollout's spans in its two servers. */
function spansOf(index: number, startNs: bigint): Record<'agent' | 'model', object> {
  const [first, second] = eventsOf(index);
  const named = { traceId: traceId(index), rolloutId: rolloutId(index) };
  const ids = { spanId: (index * 2 + 1).toString(16).padStart(16, '0') };
  const below = { spanId: (index * 2 + 2).toString(16).padStart(16, '0'), parentSpanId: ids.spanId };
  return {
    agent: timedSpan({ ...named, ...ids, events: [spanEvent(first), spanEvent(second)] }, startNs, HOUR_NS / 360n),
    model: timedSpan({ traceId: named.traceId, ...below, events: [spanEvent(first)] }, startNs + 1_000n),
  };
}

function fileOf(name: string, rows: readonly object[]): string {
  const file = path.join(folder, `${name}.jsonl`);
  writeFileSync(file, jsonl(rows));
  return file;
}

/** Sends a rollout for each of the numbers, and waits until Jaeger has the last. */
async function store(indexes: readonly number[], startOf: (place: number) => bigint): Promise<void> {
  const spans = indexes.map((index, place) => spansOf(index, startOf(place)));
  for (const service of ['agent', 'model'] as const) {
    for (let from = 0; from < spans.length; from += 500) {
      await sendOtlp(
        jaeger.otlpHttpUrl,
        service,
        spans.slice(from, from + 500).map((both) => both[service]),
      );
    }
  }
  await untilThere(indexes.at(-1) ?? 0);
}

/** Waits until Jaeger has a trace. */
async function untilThere(index: number): Promise<void> {
  await until(async () => (await fetch(`${jaeger.url}/api/traces/${traceId(index)}`)).ok);
}

const upTo = (count: number, from = 0): readonly number[] => Array.from({ length: count }, (_, index) => from + index);
const reconcile = (...args: string[]) => ngFailures(['reconcile', ...args, '--jaeger', jaeger.url]);

describe('the small Jaeger of other tests answers as the real one does', () => {
  const fake = new FakeJaeger({ maxTraces: 50_000 });
  let real: Jaeger;
  const start = (NOW - 2n * HOUR_NS) / 1000n;
  const end = NOW / 1000n;
  const range = `start=${start}&end=${end}&raw=true`;

  beforeAll(async () => {
    [real] = await Promise.all([startJaeger(), fake.start()]);
    const both = async (service: string, spans: readonly object[]): Promise<void> => {
      // One after the other: what comes at once is stored in any order.
      for (const span of spans) {
        fake.add(service, [span]);
        await sendOtlp(real.otlpHttpUrl, service, [span]);
        const question = `/api/traces?service=${encodeURIComponent(service)}&limit=100&${range}`;
        const count = async (url: string) => (await (await fetch(url + question)).text()).split('operationName').length;
        await until(async () => (await count(real.url)) === (await count(fake.url)));
      }
    };
    const { agent, model } = spansOf(1, NOW - HOUR_NS);
    const named = { traceId: traceId(3), rolloutId: EVIL, events: [spanEvent(attempt(EVIL))] };
    await both('agent', [agent, timedSpan({ traceId: 'ab'.repeat(16), rolloutId: '7' }, NOW - HOUR_NS)]);
    await both('model', [model, timedSpan({ traceId: traceId(2) }, NOW - HOUR_NS + 999n)]);
    await both(EVIL, [timedSpan(named, NOW - HOUR_NS)]);
  });
  afterAll(async () => {
    await Promise.all([real?.program.stop(), fake.stop()]);
  });

  const at = (NOW - HOUR_NS) / 1000n;
  const tagged = (tags: object): string => `tags=${encodeURIComponent(JSON.stringify(tags))}`;
  it.each([
    ['services', '/api/services'],
    ['a search', `/api/traces?service=agent&limit=100&${range}`],
    ['a search of another service', `/api/traces?service=model&limit=100&${range}`],
    ['a search of a service with a hostile name', `/api/traces?service=${encodeURIComponent(EVIL)}&limit=9&${range}`],
    ['a search of a service that is not there', `/api/traces?service=shop&limit=100&${range}`],
    ['an answer that is cut', `/api/traces?service=agent&limit=1&${range}`],
    [
      'a tag of an event',
      `/api/traces?service=model&limit=9&${range}&${tagged({ 'nemo.gym.failure.event_id': eventId(1, 0) })}`,
    ],
    ['a tag of a span', `/api/traces?service=agent&limit=9&${range}&${tagged({ 'nemo.gym.rollout.id': '7' })}`],
    ['a tag that nothing has', `/api/traces?service=agent&limit=9&${range}&${tagged({ 'nemo.gym.rollout.id': '8' })}`],
    [
      'a span that starts between two microseconds, before the end',
      `/api/traces?service=model&limit=9&start=${at}&end=${at}`,
    ],
    ['the same up to the next', `/api/traces?service=model&limit=9&start=${at}&end=${at + 1n}`],
    ['a limit of nought', `/api/traces?service=agent&limit=0&${range}`],
    ['a limit as high as the storage', `/api/traces?service=agent&limit=50000&${range}`],
    ['a limit that is higher', `/api/traces?service=agent&limit=50001&${range}`],
    ['a search without a service', `/api/traces?limit=9&${range}`],
    ['a trace', `/api/traces/${traceId(1)}?raw=true`],
    ['a trace by its short id', `/api/traces/${traceId(1).slice(16)}`],
    ['a trace that is not there', `/api/traces/${traceId(99)}`],
    ['a page', '/search'],
  ])('%s', async (_name, question) => {
    const [ofReal, ofFake] = await Promise.all([answerOf(real.url + question), answerOf(fake.url + question)]);
    expect(ofFake).toEqual(ofReal);
  });
});

describe('reconcile --jaeger', () => {
  beforeAll(async () => {
    await store(upTo(SPREAD), (place) => NOW - HOUR_NS * 5n + BigInt(place) * 10_000_000_000n);
    await store(upTo(BURST_SIZE, BURST), () => NOW - 2n * HOUR_NS);
    await store(upTo(3, OTHERS), () => NOW - HOUR_NS);
    await store([OLD], () => NOW - 48n * HOUR_NS);
  });
  const rows = [...upTo(SPREAD), ...upTo(BURST_SIZE, BURST), OLD];
  const ids = 2 * rows.length;

  it('finds all ids on both sides: thousands of traces, a crowd in one microsecond, one of the day before', async () => {
    const { code, stdout, stderr } = await reconcile(fileOf('all', rows.map(rowOf)));
    expect(stdout).toContain(`1 trace found by the ids of rows, outside of the time that was read; --since TIME`);
    expect(stdout).toMatch(
      new RegExp(`\n6 ids of other rollouts in Jaeger left out\n(.*\n)*all ids on both sides \\(${ids}\\)\n$`),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('names exactly the ids that are only in the rows, and those that are only in Jaeger', async () => {
    const lost = attempt(eventId(17, 8));
    const [first, second] = eventsOf(17);
    const more = row(17, reportOf([first, second, lost], { failure_id: second.event_id }));
    const fewer = row(18, reportOf([eventsOf(18)[0]]));
    const some = rows.map((index) => (index === 17 ? more : index === 18 ? fewer : rowOf(index)));
    const { code, stdout } = await reconcile(fileOf('apart', some), '--json', '--since', '3d');
    const { findings, matched, lookups } = JSON.parse(stdout);
    expect(findings).toMatchObject([
      { finding: 'missing_in_traces', eventId: lost.event_id, row: { line: 18 }, traceIds: [traceId(17)] },
      { finding: 'missing_in_rows', eventId: eventId(18, 1), rolloutIds: [rolloutId(18)], traceIds: [traceId(18)] },
    ]);
    expect({ matched, code, found: lookups.traces }).toEqual({ matched: ids - 1, code: 1, found: 0 });
  });

  it('reads only the time and the services that are asked for', async () => {
    const file = fileOf('few', upTo(100).map(rowOf));
    const times = ['--since', '330m', '--until', '270m'];
    const all = JSON.parse((await reconcile(file, '--json', ...times)).stdout);
    expect(all).toMatchObject({ clean: true, matched: 200, lookups: { rows: 0 } });
    expect(all.traces.traces).toBeGreaterThan(150);
    expect(all.traces.traces).toBeLessThan(210);
    const none = await reconcile(file, '--service', 'shop', ...times);
    expect(none.stderr).toContain('Jaeger has no service shop; it has ');
    expect(none.code).toBe(1);
  });

  it('says what is wrong at addresses that are not the query API’s', async () => {
    const file = fileOf('one', [rowOf(1)]);
    const ask = (url: string) => ngFailures(['reconcile', file, '--jaeger', url]);
    expect(await ask(jaeger.otlpHttpUrl)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('answers 404'),
    });
    const grpc = await ask(`http://${jaeger.otlpGrpc}`);
    expect(grpc).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/is it a port for gRPC/) });
    const page = await ask(`${jaeger.url}/search`);
    expect(page).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('answers with a page') });
  });
});

describe('trace', () => {
  it('finds rollouts by failure, by name only, of weeks ago and with hostile ids; one that is not there is told', async () => {
    const other = { traceId: traceId(8001), rolloutId: rolloutId(8001) };
    const evil = { traceId: traceId(8002), events: [spanEvent(attempt(EVIL))] };
    await sendOtlp(jaeger.otlpHttpUrl, 'collector', [timedSpan(other, NOW), timedSpan(evil, NOW)]);
    await store([8000], () => NOW - 20n * 24n * HOUR_NS);
    await untilThere(8002);
    const hostile = row(8002, reportOf([attempt(EVIL)]), { _ng_rollout_id: EVIL });
    const file = fileOf('trace', [rowOf(8000), rowOf(8001), hostile, rowOf(8003)]);
    const { code, stdout, stderr } = await ngFailures(['trace', file, '--jaeger', `${jaeger.url}/`]);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe(
      `${file}:1  rollout ${rolloutId(8000)}  ${jaeger.url}/trace/${traceId(8000)}?uiFind=${eventId(8000, 1)}`,
    );
    expect(lines[1]).toContain(`  ${jaeger.url}/trace/${traceId(8001)}?uiFind=`);
    expect(lines[2]).toContain(`  ${jaeger.url}/trace/${traceId(8002)}?uiFind=${encodeURIComponent(EVIL)}`);
    expect(lines[3]).toContain('  no trace in Jaeger (not sampled, not exported?)');
    expect(stdout).toMatch(/^[ -~\n]*$/);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    const page = await fetch(lines[0]?.split('  ').at(-1) ?? '');
    expect(await page.text()).toContain('JAEGER_CONFIG');
  });
});
