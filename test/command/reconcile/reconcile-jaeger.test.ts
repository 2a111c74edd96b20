import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command-run.ts';
import { FakeJaeger } from '../../support/fake-jaeger.ts';
import { attempt, eventId, jsonl, reportOf, rolloutId, row, traceId } from '../../support/rows.ts';
import { exportOf, span, spanEvent } from '../../support/rows-traces.ts';
import { timedSpan } from '../../support/timed-span.ts';

const dir = mkdtempSync(join(tmpdir(), 'ng-reconcile-jaeger-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let jaeger: FakeJaeger;
beforeEach(async () => {
  jaeger = await new FakeJaeger().start();
});
afterEach(() => jaeger.stop());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const eventOf = (index: number) => attempt(eventId(index, 0));
const rowOf = (index: number) => row(index, reportOf([eventOf(index)]));

let files = 0;
function rowsFile(...rows: readonly object[]): string {
  files += 1;
  const path = join(dir, `rows-${files}.jsonl`);
  writeFileSync(path, jsonl(rows));
  return path;
}

/** Stores the trace of a rollout, with its event, so long ago. */
function store(index: number, agoMs = 60_000, service = 'agent', to = jaeger): void {
  const parts = { traceId: traceId(index), rolloutId: rolloutId(index), events: [spanEvent(eventOf(index))] };
  to.add(service, [timedSpan(parts, BigInt(Date.now() - agoMs) * 1_000_000n)]);
}

const reconcile = (...args: readonly string[]) => runCommand(['reconcile', ...args, '--jaeger', jaeger.url]);

async function outcome(...args: readonly string[]) {
  const { code, out } = await reconcile(...args, '--json');
  return { code, result: JSON.parse(out) };
}

describe('reconcile --jaeger', () => {
  it('is clean when each id is on both sides, and leaves other people’s rollouts out', async () => {
    store(1);
    store(2, 5000, 'model');
    store(9);
    const rows = rowsFile(row(0), rowOf(1), rowOf(2));
    const { code, out, err } = await reconcile(rows);
    expect(out).toMatch(/\n1 id of other rollouts in Jaeger left out\nall ids on both sides \(2\)\n$/);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { result } = await outcome(rows);
    expect(result).toMatchObject({
      backends: [jaeger.url],
      otherRollouts: 1,
      lookups: { rows: 0, traces: 0 },
      cuts: 0,
    });
  });

  it('names the id that Jaeger does not have', async () => {
    store(1);
    jaeger.add('agent', [timedSpan({ traceId: traceId(2), rolloutId: rolloutId(2) }, BigInt(Date.now()) * 1_000_000n)]);
    const rows = rowsFile(rowOf(1), rowOf(2));
    const { code, out } = await reconcile(rows);
    expect(out).toContain(
      `missing in traces  event ${eventId(2, 0)}  ${rows}:2 rollout ${rolloutId(2)}  trace ${traceId(2)}\n`,
    );
    expect(code).toBe(1);
  });

  it('names the id that only Jaeger has, in a trace of the rows', async () => {
    store(1);
    const extra = { traceId: traceId(1), events: [spanEvent(attempt(eventId(1, 5)))] };
    jaeger.add('model', [timedSpan(extra, BigInt(Date.now()) * 1_000_000n)]);
    const { code, result } = await outcome(rowsFile(rowOf(1)));
    expect(result.findings).toMatchObject([
      { finding: 'missing_in_rows', eventId: eventId(1, 5), rolloutIds: [rolloutId(1)] },
    ]);
    expect(code).toBe(1);
  });

  it('takes a trace for one of the rows when it has an event of theirs, though no span names a rollout', async () => {
    const events = [spanEvent(eventOf(1)), spanEvent(attempt(eventId(1, 5)))];
    jaeger.add('agent', [timedSpan({ traceId: traceId(1), events }, BigInt(Date.now()) * 1_000_000n)]);
    const { result } = await outcome(rowsFile(rowOf(1)));
    expect(result.findings).toMatchObject([{ finding: 'missing_in_rows', eventId: eventId(1, 5), rolloutIds: [] }]);
  });

  it('counts what a file and several Jaegers have together', async () => {
    const other = await new FakeJaeger().start();
    store(1);
    store(2, 1000, 'agent', other);
    const traces = join(dir, 'traces.jsonl');
    const parts = { traceId: traceId(3), rolloutId: rolloutId(3), events: [spanEvent(eventOf(3))] };
    writeFileSync(traces, jsonl([exportOf([span(parts)])]));
    const { code, result } = await outcome(
      rowsFile(rowOf(1), rowOf(2), rowOf(3)),
      '--traces',
      traces,
      '--jaeger',
      other.url,
    );
    expect(result).toMatchObject({ matched: 3, findings: [], backends: [other.url, jaeger.url] });
    expect(code).toBe(0);
    await other.stop();
  });

  it('explains with --sampled a rollout that Jaeger does not know at all, and no other', async () => {
    store(1);
    const rows = rowsFile(rowOf(1), rowOf(2));
    expect(await outcome(rows, '--sampled')).toMatchObject({
      code: 0,
      result: { sampledOut: [{ eventId: eventId(2, 0) }], findings: [], matched: 1 },
    });
    jaeger.add('agent', [timedSpan({ traceId: traceId(2), rolloutId: rolloutId(2) }, BigInt(Date.now()) * 1_000_000n)]);
    expect(await outcome(rows, '--sampled')).toMatchObject({ code: 1, result: { sampledOut: [] } });
  });

  it('with --sampled and a Jaeger without any span asks whether it is the right one', async () => {
    const { code, out, err } = await reconcile(rowsFile(rowOf(1)), '--sampled');
    expect(out).toMatch(/\nno id is left to compare: there is no span; is it the right Jaeger, and the right time/);
    expect(err).toContain('Jaeger has no trace from');
    expect(code).toBe(0);
  });
});

describe('the time that is read', () => {
  it('is the last day; older traces are found by the ids of the rows, and that is told', async () => {
    store(1);
    store(2, 3 * DAY_MS);
    const rows = rowsFile(rowOf(1), rowOf(2));
    const { code, out } = await reconcile(rows);
    expect(out).toContain('1 trace found by the ids of rows, outside of the time that was read; --since TIME reads');
    expect(out).toMatch(/all ids on both sides \(2\)\n$/);
    expect(code).toBe(0);
    const { result } = await outcome(rows, '--since', '4d');
    expect(result).toMatchObject({ matched: 2, lookups: { rows: 0, traces: 0 } });
  });

  it('is asked of Jaeger as it was given', async () => {
    store(1, 0);
    await reconcile(rowsFile(rowOf(1)), '--since', '2026-05-01T10:00Z', '--until', '2026-05-02');
    const searches = jaeger.asked.filter(({ query }) => query.has('limit') && !query.has('tags'));
    expect(searches.at(0)?.query.get('start')).toBe(`${Date.parse('2026-05-01T10:00Z') * 1000}`);
    const ends = searches.map(({ query }) => Number(query.get('end')));
    expect(Math.max(...ends)).toBe(Date.parse('2026-05-02') * 1000);
  });

  it('leaves out ids that only the traces have where they lie outside', async () => {
    store(1, HOUR_MS);
    const late = { traceId: traceId(1), events: [spanEvent(attempt(eventId(1, 5)))] };
    const stray = { traceId: traceId(4), rolloutId: rolloutId(1), events: [spanEvent(attempt(eventId(1, 6)))] };
    const rows = rowsFile(rowOf(1));
    jaeger.add('agent', [timedSpan(stray, BigInt(Date.now() - 5 * HOUR_MS) * 1_000_000n)]);
    expect(await outcome(rows, '--since', '2h')).toMatchObject({ code: 0 });
    expect(await outcome(rows, '--since', '6h')).toMatchObject({ code: 1 });
    // A trace comes whole, also what of it lies outside.
    jaeger.add('agent', [timedSpan(late, BigInt(Date.now() - 5 * HOUR_MS) * 1_000_000n)]);
    expect(await outcome(rows, '--since', '2h')).toMatchObject({
      code: 1,
      result: { findings: [{ eventId: eventId(1, 5) }] },
    });
  });

  it('does not keep a row from being looked for, however many there are, but each is not asked for', async () => {
    store(9);
    const rows = Array.from({ length: 1200 }, (_, index) => rowOf(index + 100));
    const { code, result } = await outcome(rowsFile(...rows), '--since', '1h');
    expect(result.findings).toHaveLength(1200);
    expect(result.lookups.rows).toBeLessThan(300);
    expect(result.lookups.notAsked).toBe(1200 - result.lookups.rows);
    expect(code).toBe(1);
    expect(jaeger.asked.length).toBeLessThan(700);
  });
});

describe('reconcile compares nothing and ends with 2', () => {
  it.each([
    [['--since', 'noon'], '--since is "noon"; give a time such as 2026-05-04'],
    [['--until', '2026-99-01'], '--until is "2026-99-01"; give a time such as'],
    [['--since', '1h', '--until', '2h'], '--since must be before --until'],
    [['--timeout', 'long'], '--timeout is "long"; give seconds, up to 3600'],
    [['--jaeger', 'jaeger:16686'], '"jaeger:16686" is no address of Jaeger; give one such as http://localhost:16686'],
  ])('for %j, before it asks', async (args, message) => {
    const { code, out, err } = await reconcile(rowsFile(rowOf(1)), ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`ng-failures reconcile: ${message}`);
    expect(jaeger.asked).toEqual([]);
  });

  it('when Jaeger gives no whole answer in the time of --timeout', async () => {
    store(1);
    jaeger.intercept = () => true;
    const started = performance.now();
    const { code, out, err } = await reconcile(rowsFile(rowOf(1)), '--timeout', '0.3');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`${jaeger.url}: no whole answer within 0.3 s; give it longer with --timeout SECONDS`);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('when Jaeger breaks off in the middle: what it had told would look missing', async () => {
    for (let index = 0; index < 300; index += 1) store(index, index * 60_000);
    jaeger.intercept = (request, response) => {
      if (jaeger.asked.length < 5) return false;
      response.writeHead(400).end(`no ${request.method}`);
      return true;
    };
    const { code, out, err } = await reconcile(rowsFile(rowOf(1)));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(`ng-failures reconcile: ${jaeger.url}: answers 400\n`);
  });
});

it('ends with 1 where Jaeger did not give all traces, though each id of the rows was found', async () => {
  await jaeger.stop();
  jaeger = await new FakeJaeger({ maxTraces: 5 }).start();
  const at = BigInt(Date.now() - 60_000) * 1_000_000n;
  for (let index = 0; index < 9; index += 1) jaeger.add('agent', [timedSpan({ traceId: traceId(index) }, at)]);
  store(20, 1000);
  const { code, out, err } = await reconcile(rowsFile(rowOf(20)));
  expect(err).toContain(`${jaeger.url}: service agent has more traces at `);
  expect(out).toMatch(/\nJaeger did not give all traces; 1 id on both sides\n$/);
  expect(code).toBe(1);
});
