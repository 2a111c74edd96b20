import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Problems } from '../../../src/command/problems.ts';
import type { Reconciliation } from '../../../src/command/reconcile/findings.ts';
import { reconcile } from '../../../src/command/reconcile/reconcile.ts';
import { reconciliationText } from '../../../src/command/reconcile/reconcile-text.ts';
import { OtlpFile } from '../../../src/command/traces/otlp-file.ts';
import { agentFailure, attempt, eventId, jsonl, reportOf, rolloutId, row, traceId } from '../../support/rows.ts';
import { exportOf, span, spanEvent } from '../../support/rows-traces.ts';

const dir = mkdtempSync(join(tmpdir(), 'ng-reconcile-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let files = 0;
function file(values: readonly unknown[], name = 'file'): string {
  files += 1;
  const path = join(dir, `${name}-${files}.jsonl`);
  writeFileSync(path, jsonl(values));
  return path;
}

async function reconciled(rows: readonly object[], ...exports: readonly (readonly object[])[]) {
  const said: string[] = [];
  const rowsFile = file(rows, 'rows');
  const traces = exports.map((spans) => new OtlpFile(file([exportOf(spans)], 'traces')));
  const result = await reconcile({ rows: [rowsFile], traces, problems: new Problems((text) => said.push(text)) });
  return { result, rowsFile, text: reconciliationText(result), said: said.join('') };
}

function sorts(result: Reconciliation): readonly string[] {
  return result.findings.map((finding) => finding.finding);
}

const FIRST = attempt(eventId(1, 0));
const SECOND = agentFailure(eventId(1, 1), eventId(1, 0));
const FAILED = row(1, reportOf([FIRST, SECOND], { failure_id: SECOND.event_id }));
const GOOD = row(0);
const ONE = { traceId: traceId(1), rolloutId: rolloutId(1) };

describe('ids on both sides', () => {
  it('is clean when each id is on both sides', async () => {
    const spans = [span({ ...ONE, events: [spanEvent(FIRST), spanEvent(SECOND)] })];
    const { result, text } = await reconciled([GOOD, FAILED], spans);
    expect(result).toMatchObject({
      clean: true,
      rows: { rows: 2, withReport: 1, omitted: 0, eventIds: 2 },
      traces: { spans: 1, traces: 1, eventIds: 2 },
      matched: 2,
      findings: [],
      explained: [],
    });
    expect(text).toMatch(/all ids on both sides \(2\)\n$/);
  });

  it('is clean when several spans, processes and files have the same event', async () => {
    const agent = [span({ ...ONE, events: [spanEvent(FIRST), spanEvent(SECOND)] })];
    const model = [span({ traceId: traceId(1), events: [spanEvent(FIRST)] })];
    const { result } = await reconciled([FAILED], agent, model);
    expect(result.clean).toBe(true);
    expect(result.traces).toMatchObject({ spans: 2, traces: 1, eventIds: 2 });
  });

  it('names the id, the row and the trace of an event taken out of the traces', async () => {
    const spans = [span({ ...ONE, events: [spanEvent(SECOND)] })];
    const { result, rowsFile, text } = await reconciled([GOOD, FAILED], spans);
    const place = { file: rowsFile, line: 2, rolloutId: rolloutId(1) };
    expect(result.clean).toBe(false);
    expect(result.findings).toEqual([
      { finding: 'missing_in_traces', eventId: FIRST.event_id, row: place, traceIds: [traceId(1)] },
    ]);
    expect(result).toMatchObject({ matched: 1, rows: { eventIds: 2 } });
    const line = `missing in traces  event ${FIRST.event_id}  ${rowsFile}:2 rollout ${rolloutId(1)}  trace ${traceId(1)}`;
    expect(text).toContain(line);
    expect(text).not.toContain('all ids');
  });

  it('finds the trace of a rollout that has no event left, through the rollout’s other spans', async () => {
    const { result } = await reconciled([FAILED], [span(ONE), span({ traceId: traceId(9) })]);
    expect(sorts(result)).toEqual(['missing_in_traces', 'missing_in_traces']);
    expect(result.findings[0]).toMatchObject({ traceIds: [traceId(1)] });
  });

  it('says that a rollout has no trace at all', async () => {
    const { result, text } = await reconciled([FAILED], [span({ traceId: traceId(9), rolloutId: rolloutId(9) })]);
    expect(result.findings[0]).toMatchObject({ finding: 'missing_in_traces', traceIds: [] });
    expect(text).toContain('no trace of this rollout');
  });

  it('finds an id that only the traces have, and names trace and row', async () => {
    const extra = attempt(eventId(1, 7));
    const events = [FIRST, SECOND, extra].map((event) => spanEvent(event));
    const { result, rowsFile, text } = await reconciled([FAILED], [span({ ...ONE, events })]);
    expect(result.findings).toEqual([
      {
        finding: 'missing_in_rows',
        eventId: extra.event_id,
        traceIds: [traceId(1)],
        rolloutIds: [rolloutId(1)],
        rows: [{ file: rowsFile, line: 1, rolloutId: rolloutId(1) }],
      },
    ]);
    expect(text).toContain(`missing in rows  event ${extra.event_id}  ${rowsFile}:1`);
  });

  it('finds an id of a rollout without a row, and one of no rollout', async () => {
    const lost = [
      span({ traceId: traceId(5), rolloutId: rolloutId(5), events: [spanEvent(attempt(eventId(5, 0)))] }),
      span({ traceId: traceId(6), events: [spanEvent(attempt(eventId(6, 0)))] }),
    ];
    const { result, text } = await reconciled([GOOD], lost);
    expect(sorts(result)).toEqual(['missing_in_rows', 'missing_in_rows']);
    expect(text).toContain(`no row of rollout ${rolloutId(5)}`);
    expect(text).toContain('rollout unknown');
  });
});

describe('nothing to compare', () => {
  const QUIET = [span({ ...ONE })];

  it('is not clean when there are no rows, or no spans', async () => {
    for (const [rows, spans, why] of [
      [[], QUIET, 'there is no row'],
      [[GOOD], [], 'there is no span; expected OTLP JSON lines'],
      [[], [], 'there is no row, and there is no span'],
    ] as const) {
      const { result, text } = await reconciled(rows, spans);
      expect(result).toMatchObject({ clean: false, nothingToCompare: true, findings: [], badLines: 0 });
      expect(text).toContain(`nothing to compare: ${why}`);
      expect(text).not.toContain('all ids');
    }
  });

  it('is not clean when the rows are OTLP lines', async () => {
    for (const line of [exportOf(QUIET), { resourceLogs: [] }]) {
      const { result, said } = await reconciled([line], QUIET);
      expect(result).toMatchObject({ clean: false, badLines: 1, rows: { rows: 0 } });
      expect(said).toContain(':1: an OTLP line ("resource');
    }
  });

  it('is another matter than rows and spans without a failure: that is clean', async () => {
    const { result, text } = await reconciled([GOOD], QUIET);
    expect(result).toMatchObject({ clean: true, nothingToCompare: false, matched: 0 });
    expect(text).toMatch(/no failures on either side: no row has a failure id, and no span a failure event\n$/);
  });
});

describe('omitted reports', () => {
  const OMITTED = row(1, { omitted: true });
  const seen = (more: object = {}) => span({ ...ONE, events: [spanEvent(FIRST), spanEvent(SECOND)], ...more });

  it('explains ids that only the traces have when the row of the rollout says omitted', async () => {
    const { result, rowsFile, text } = await reconciled([OMITTED], [seen()]);
    const place = { file: rowsFile, line: 1, rolloutId: rolloutId(1) };
    expect(result).toMatchObject({ clean: true, matched: 0 });
    expect(result.explained).toEqual([
      { eventId: FIRST.event_id, traceIds: [traceId(1)], row: place },
      { eventId: SECOND.event_id, traceIds: [traceId(1)], row: place },
    ]);
    expect(text).toContain('all ids on both sides (0), 2 only in traces explained by rows that say omitted');
  });

  it('matches through the trace when another span names the rollout, before or after', async () => {
    const without = span({ traceId: traceId(1), events: [spanEvent(FIRST)] });
    const naming = span(ONE);
    expect((await reconciled([OMITTED], [without, naming])).result.clean).toBe(true);
    expect((await reconciled([OMITTED], [naming, without])).result.clean).toBe(true);
    expect((await reconciled([OMITTED], [without])).result.clean).toBe(false);
  });

  it('does not explain with the omitted row of another rollout', async () => {
    const { result } = await reconciled([row(2, { omitted: true }), GOOD], [seen()]);
    expect(sorts(result)).toEqual(['missing_in_rows', 'missing_in_rows']);
  });

  it('explains with any of a rollout’s rows: one row an attempt', async () => {
    expect((await reconciled([row(1), OMITTED], [seen()])).result.clean).toBe(true);
  });

  it('reads a saved report that is not valid as omitted, and says so', async () => {
    const broken = { ...row(1), _ng_failure_events: { [FIRST.event_id]: 3 } };
    const { result, rowsFile, said } = await reconciled([broken], [seen()]);
    expect(result).toMatchObject({ clean: true, rows: { omitted: 1 } });
    expect(said).toContain(`${rowsFile}:1: the saved report reads as omitted`);
  });

  it('tells the rollouts of one shared trace apart by the span above', async () => {
    const shared = traceId(0);
    const server = (index: number) =>
      span({ traceId: shared, spanId: `${index}`.repeat(16), rolloutId: rolloutId(index) });
    const below = (parent: number, event: object) =>
      span({ traceId: shared, parentSpanId: `${parent}`.repeat(16), events: [event] });
    const spans = [below(1, spanEvent(FIRST)), below(2, spanEvent(SECOND)), server(1), server(2)];
    const { result } = await reconciled([OMITTED, row(2)], spans);
    expect(result.explained).toMatchObject([{ eventId: FIRST.event_id }]);
    expect(result.findings).toMatchObject([{ eventId: SECOND.event_id, rolloutIds: [rolloutId(2)] }]);
  });

  it('does not let an omitted row explain an id of a shared trace that belongs to no known rollout', async () => {
    const shared = traceId(0);
    const spans = [
      span({ traceId: shared, rolloutId: rolloutId(1) }),
      span({ traceId: shared, rolloutId: rolloutId(2) }),
      span({ traceId: shared, events: [spanEvent(FIRST)] }),
    ];
    const { result } = await reconciled([OMITTED, row(2)], spans);
    expect(result.findings).toMatchObject([{ finding: 'missing_in_rows', rolloutIds: [] }]);
  });
});

describe('agreement', () => {
  const cases = [
    { member: 'kind', key: 'nemo.gym.failure.kind', value: 'transport_peer_drop', inRow: SECOND.failure_kind },
    { member: 'boundary', key: 'nemo.gym.failure.boundary', value: 'model', inRow: SECOND.boundary },
    { member: 'stage', key: 'nemo.gym.failure.stage', value: 'cleanup', inRow: SECOND.stage },
    { member: 'cause_id', key: 'nemo.gym.failure.cause_id', value: 'another', inRow: SECOND.cause_id },
    { member: 'stage', key: 'nemo.gym.failure.stage', value: '', inRow: SECOND.stage },
    { member: 'cause_id', key: 'nemo.gym.failure.cause_id', value: '', inRow: SECOND.cause_id },
  ] as const;

  it.each(cases)('finds another $member: "$value"', async ({ member, key, value, inRow }) => {
    const events = [spanEvent(FIRST), spanEvent(SECOND, { [key]: value })];
    const { result, text } = await reconciled([FAILED], [span({ ...ONE, events })]);
    expect(result.findings).toMatchObject([
      { finding: 'disagree', eventId: SECOND.event_id, traceId: traceId(1), member, inRow, inTrace: value || null },
    ]);
    expect(text).toContain(`row says ${inRow}, trace says ${value || 'nothing'}`);
  });

  it('checks each sighting, not only the first', async () => {
    const wrong = spanEvent(FIRST, { 'nemo.gym.failure.kind': 'transport_peer_drop' });
    const right = [spanEvent(FIRST), spanEvent(SECOND)];
    const later = await reconciled([FAILED], [span({ ...ONE, events: right })], [span({ ...ONE, events: [wrong] })]);
    expect(sorts(later.result)).toEqual(['disagree']);
    const earlier = await reconciled([FAILED], [span({ ...ONE, events: [wrong] }), span({ ...ONE, events: right })]);
    expect(sorts(earlier.result)).toEqual(['disagree']);
  });

  it('compares kinds after the reading rule', async () => {
    const foreign = attempt(eventId(2, 0), { failure_kind: 'unregistered:gpu_on_fire' });
    for (const kind of ['gpu_on_fire', 'unregistered:gpu_on_fire']) {
      const events = [spanEvent(foreign, { 'nemo.gym.failure.kind': kind })];
      const { result } = await reconciled(
        [{ ...row(2), _ng_failure_events: { [foreign.event_id]: { ...foreign, failure_kind: 'gpu_on_fire' } } }],
        [span({ traceId: traceId(2), rolloutId: rolloutId(2), events })],
      );
      expect(result.findings).toEqual([]);
    }
  });

  it('wants all events of a row in one trace', async () => {
    const spans = [
      span({ ...ONE, events: [spanEvent(FIRST)] }),
      span({ traceId: traceId(4), events: [spanEvent(SECOND)] }),
    ];
    const { result, text } = await reconciled([FAILED], spans);
    expect(result.findings).toMatchObject([
      {
        finding: 'several_traces',
        row: { line: 1 },
        traces: [
          { traceId: traceId(1), eventId: FIRST.event_id },
          { traceId: traceId(4), eventId: SECOND.event_id },
        ],
      },
    ]);
    expect(text).toContain(`one row, several traces`);
    expect(text).toContain('is a caller without instrumentation-undici or -http, so that no traceparent is sent?');
  });
});

describe('what is odd', () => {
  it('compares ids that are not 32 hex digits, and ids that objects treat specially', async () => {
    const ids = ['__proto__', 'constructor', 'A1', eventId(0xabc, 0).toUpperCase(), 'é'.repeat(32)];
    const events = ids.map((id) => attempt(id));
    const report = JSON.parse(
      `{${events.map((event) => `${JSON.stringify(event.event_id)}:${JSON.stringify(event)}`)}}`,
    );
    const spans = [span({ ...ONE, events: events.slice(1).map((event) => spanEvent(event)) })];
    const { result } = await reconciled([{ ...row(1), _ng_failure_events: report }], spans);
    expect(result.findings).toMatchObject([{ finding: 'missing_in_traces', eventId: '__proto__' }]);
    expect(result.matched).toBe(4);
  });

  it('is not clean when a line could not be read', async () => {
    const spans = [span({ ...ONE, events: [spanEvent(FIRST), spanEvent(SECOND)] })];
    const path = file([FAILED]);
    writeFileSync(path, `${jsonl([FAILED])}{"torn`);
    const problems = new Problems(() => {});
    const result = await reconcile({ rows: [path], traces: [new OtlpFile(file([exportOf(spans)]))], problems });
    expect(result).toMatchObject({ clean: false, findings: [], badLines: 1, matched: 2 });
    expect(reconciliationText(result)).toContain('1 line could not be read; 2 ids on both sides');
  });

  it('prints a bounded number of findings and counts the rest', async () => {
    const events = Array.from({ length: 150 }, (_, index) => attempt(eventId(1, index)));
    const { result, text } = await reconciled([row(1, reportOf(events))], [span(ONE)]);
    expect(result.findings).toHaveLength(150);
    expect(text.match(/missing in traces {2}event/g)).toHaveLength(100);
    expect(text).toContain('missing in traces: and 50 more; --json prints all');
  });
});
