import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command-run.ts';
import { FakeJaeger } from '../../support/fake-jaeger.ts';
import { agentFailure, attempt, eventId, jsonl, reportOf, rolloutId, row, traceId } from '../../support/rows.ts';
import { type SpanParts, spanEvent } from '../../support/rows-traces.ts';
import { timedSpan } from '../../support/timed-span.ts';

const dir = mkdtempSync(join(tmpdir(), 'ng-trace-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let jaeger: FakeJaeger;
beforeEach(async () => {
  jaeger = await new FakeJaeger().start();
});
afterEach(() => jaeger.stop());

const DAY_MS = 24 * 3_600_000;
const FIRST = attempt(eventId(1, 0));
const SECOND = agentFailure(eventId(1, 1), eventId(1, 0));
const FAILED = row(1, reportOf([FIRST, SECOND], { failure_id: SECOND.event_id }));
const GOOD = row(0);

let files = 0;
function file(content: string): string {
  files += 1;
  const path = join(dir, `rows-${files}.jsonl`);
  writeFileSync(path, content);
  return path;
}

const rowsFile = (...rows: readonly object[]): string => file(jsonl(rows));

/** Stores a span that started a while ago. */
function store(parts: SpanParts, agoMs = 60_000, service = 'agent'): void {
  jaeger.add(service, [timedSpan(parts, BigInt(Date.now() - agoMs) * 1_000_000n)]);
}

const trace = (...args: readonly string[]) => runCommand(['trace', ...args, '--jaeger', jaeger.url]);
const urlOf = (index: number, find: string): string => `${jaeger.url}/trace/${traceId(index)}?uiFind=${find}`;

describe('trace', () => {
  it('prints the address of each failed row’s trace, with its own failure marked, in the rows’ order', async () => {
    const third = attempt(eventId(3, 0));
    store({ traceId: traceId(3), events: [spanEvent(third)] });
    store({ traceId: traceId(1), events: [spanEvent(FIRST), spanEvent(SECOND)] });
    const path = rowsFile(GOOD, FAILED, row(3, reportOf([third])));
    const { code, out, err } = await trace(path);
    expect(out).toBe(
      `${path}:2  rollout ${rolloutId(1)}  ${urlOf(1, SECOND.event_id)}\n` +
        `${path}:3  rollout ${rolloutId(3)}  ${urlOf(3, third.event_id)}\n`,
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('has a form for programs', async () => {
    store({ traceId: traceId(1), events: [spanEvent(SECOND)] });
    const path = rowsFile(FAILED, row(5, reportOf([attempt(eventId(5, 0))])));
    const { code, out } = await trace(path, '--json');
    expect(JSON.parse(out)).toEqual({
      rows: [
        {
          file: path,
          line: 1,
          rolloutId: rolloutId(1),
          failureId: SECOND.event_id,
          traces: [{ traceId: traceId(1), url: urlOf(1, SECOND.event_id) }],
        },
        { file: path, line: 2, rolloutId: rolloutId(5), traces: [] },
      ],
    });
    expect(code).toBe(1);
  });

  it('reads only the rows that are named by line, each file once', async () => {
    for (const index of [0, 1, 2, 3]) store({ traceId: traceId(index), rolloutId: rolloutId(index) });
    const path = rowsFile(GOOD, FAILED, row(2), row(3));
    const { code, out } = await trace(`${path}:4`, `${path}:1`);
    expect(out.match(/jsonl:\d+/g)).toEqual(['jsonl:1', 'jsonl:4']);
    expect(code).toBe(0);
    expect((await trace(path, `${path}:4`)).out.match(/jsonl:\d+/g)).toEqual(['jsonl:2']);
  });

  it('reads a file whose own name ends in a number', async () => {
    store({ traceId: traceId(1), events: [spanEvent(SECOND)] });
    const path = join(dir, 'rows.jsonl:7');
    writeFileSync(path, jsonl([FAILED]));
    expect((await trace(path)).out).toContain(`${path}:1  rollout`);
    expect((await trace(`${path}:1`)).out).toContain(`${path}:1  rollout`);
  });

  it('names every row with --all, and without it says so where none failed', async () => {
    store({ traceId: traceId(0), rolloutId: rolloutId(0) });
    const path = rowsFile(GOOD);
    expect(await trace(path)).toEqual({ code: 0, out: '', err: 'no row tells of a failure; --all names every row\n' });
    const { code, out } = await trace(path, '--all');
    expect(out).toBe(`${path}:1  rollout ${rolloutId(0)}  ${jaeger.url}/trace/${traceId(0)}\n`);
    expect(code).toBe(0);
  });

  it('takes a row that names its failure in fields of its own for a failed one', async () => {
    store({ traceId: traceId(4), rolloutId: rolloutId(4) });
    const path = rowsFile(row(4, {}, { _ng_failure_class: 'judge_error' }), row(4, { omitted: true }));
    expect((await trace(path)).out.match(/\/trace\//g)).toHaveLength(2);
  });
});

it('says in its help where it looks and how far back; reconcile reads less', async () => {
  const { out } = await runCommand(['trace', '--help']);
  expect(out).toMatch(/--jaeger URL +Jaeger’s address \(default http:\/\/localhost:16686\)\n/);
  expect(out).toMatch(/--since TIME .*\(default 30d\)\n/);
  expect((await runCommand(['reconcile', '--help'])).out).toMatch(/--since TIME .*\(default 24h\)\n/);
});

describe('a trace is found', () => {
  it('by the rollout where the failure itself left no event', async () => {
    store({ traceId: traceId(1), rolloutId: rolloutId(1) });
    expect((await trace(rowsFile(FAILED))).out).toContain(urlOf(1, SECOND.event_id));
  });

  it('by another of the row’s events where nothing names the rollout', async () => {
    store({ traceId: traceId(1), events: [spanEvent(FIRST)] });
    expect((await trace(rowsFile(FAILED))).out).toContain(`/trace/${traceId(1)}`);
  });

  it('in whatever service has it, and all of them where there are several', async () => {
    store({ traceId: traceId(7) }, 0, 'model');
    store({ traceId: traceId(1), events: [spanEvent(SECOND)] }, 1000, 'collector');
    store({ traceId: traceId(2), events: [spanEvent(SECOND)] }, 1000, 'collector');
    const { out } = await trace(rowsFile(FAILED));
    const addresses = out.trimEnd().split('  ').slice(2);
    expect(addresses.sort()).toEqual([urlOf(1, SECOND.event_id), urlOf(2, SECOND.event_id)]);
  });

  it('of the last 30 days, or of the time that is asked for', async () => {
    store({ traceId: traceId(1), events: [spanEvent(SECOND)] }, 29 * DAY_MS);
    const path = rowsFile(FAILED);
    expect(await trace(path)).toMatchObject({ code: 0 });
    expect(await trace(path, '--since', '28d')).toMatchObject({ code: 1 });
    expect(await trace(path, '--since', '40d', '--until', '30d')).toMatchObject({ code: 1 });
    const old = rowsFile(row(9, reportOf([attempt(eventId(9, 0))])));
    store({ traceId: traceId(9), events: [spanEvent(attempt(eventId(9, 0)))] }, 50 * DAY_MS);
    expect(await trace(old)).toMatchObject({ code: 1 });
    expect(await trace(old, '--since', '60d')).toMatchObject({ code: 0 });
  });

  it('only in the services that are named', async () => {
    store({ traceId: traceId(1), events: [spanEvent(SECOND)] }, 1000, 'agent');
    const path = rowsFile(FAILED);
    expect(await trace(path, '--service', 'model')).toMatchObject({ code: 1 });
    expect(await trace(path, '--service', 'model', '--service', 'agent')).toMatchObject({ code: 0 });
    expect(jaeger.asked.map(({ path: asked }) => asked)).not.toContain('/api/services');
  });
});

describe('where there is none', () => {
  it('says so of the row, ends with 1, and prints the others', async () => {
    store({ traceId: traceId(3), rolloutId: rolloutId(3) });
    const path = rowsFile(FAILED, row(3, reportOf([attempt(eventId(3, 0))])));
    const { code, out, err } = await trace(path);
    expect(out).toBe(
      `${path}:1  rollout ${rolloutId(1)}  no trace in Jaeger (not sampled, not exported?)\n` +
        `${path}:2  rollout ${rolloutId(3)}  ${urlOf(3, eventId(3, 0))}\n`,
    );
    expect({ code, err }).toEqual({ code: 1, err: '' });
  });

  it('asks nothing for a row without any id', async () => {
    const { _ng_rollout_id: _id, ...old } = row(1, { omitted: true });
    const path = rowsFile(old);
    const { code, out } = await trace(path);
    expect(out).toBe(`${path}:1  rollout (no id)  the row has no id to look for\n`);
    expect(code).toBe(1);
    expect(jaeger.asked).toEqual([]);
  });

  it('looks for few of the events of a row that has many', async () => {
    store({ traceId: traceId(9) });
    const events = Array.from({ length: 200 }, (_, index) => attempt(eventId(1, index)));
    expect(await trace(rowsFile(row(1, reportOf(events))))).toMatchObject({ code: 1 });
    expect(jaeger.asked.filter(({ path }) => path === '/api/traces')).toHaveLength(10);
  });
});
