import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command-run.ts';
import { agentFailure, attempt, eventId, jsonl, reportOf, rolloutId, row, traceId } from '../../support/rows.ts';
import { exportOf, span, spanEvent } from '../../support/rows-traces.ts';

const dir = mkdtempSync(join(tmpdir(), 'ng-sampled-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Rollout `index`: two events, as its row and as its span have them. */
function rollout(index: number) {
  const first = attempt(eventId(index, 0));
  const second = agentFailure(eventId(index, 1), first.event_id);
  const named = { traceId: traceId(index), rolloutId: rolloutId(index) };
  return {
    first,
    second,
    named,
    row: row(index, reportOf([first, second], { failure_id: second.event_id })),
    span: span({ ...named, events: [spanEvent(first), spanEvent(second)] }),
  };
}

const KEPT = rollout(1);
const LOST = rollout(2);

async function reconciled(rows: readonly object[], spans: readonly object[], ...more: readonly string[]) {
  const files = [join(dir, 'rows.jsonl'), join(dir, 'traces.jsonl')] as const;
  writeFileSync(files[0], jsonl(rows));
  writeFileSync(files[1], jsonl([exportOf(spans)]));
  const args = ['reconcile', files[0], '--traces', files[1], ...more];
  const { code, out } = await runCommand(args);
  const json = await runCommand([...args, '--json']);
  expect(json.code).toBe(code);
  return { code, out, result: JSON.parse(json.out), rowsFile: files[0] };
}

describe('--sampled', () => {
  it('explains the ids of a rollout that has no trace, and tells how many', async () => {
    const { code, out, result, rowsFile } = await reconciled([KEPT.row, LOST.row], [KEPT.span], '--sampled');
    expect(out).toMatch(/\n2 ids of 1 rollout have no trace: sampled out\nall other ids on both sides \(2\)\n$/);
    const place = { file: rowsFile, line: 2, rolloutId: rolloutId(2) };
    expect(result).toMatchObject({ clean: true, matched: 2, findings: [] });
    expect(result.sampledOut).toEqual([
      { eventId: LOST.first.event_id, row: place },
      { eventId: LOST.second.event_id, row: place },
    ]);
    expect(code).toBe(0);
  });

  it('is what the outcome names where it is not said', async () => {
    const { code, out, result } = await reconciled([KEPT.row, LOST.row], [KEPT.span]);
    expect(out).toMatch(/\n2 ids of 1 rollout have no trace; if traces were sampled, say --sampled\n2 findings; 2 ids/);
    expect(result.sampledOut).toEqual([]);
    expect(code).toBe(1);
    const whole = await reconciled([KEPT.row], [KEPT.span]);
    expect(whole.out).not.toContain('sampled');
  });

  it('explains no id of a rollout that a span names: sampling leaves out whole traces', async () => {
    const { code, out, result } = await reconciled([KEPT.row, LOST.row], [KEPT.span, span(LOST.named)], '--sampled');
    expect(result.findings).toMatchObject([
      { finding: 'missing_in_traces', eventId: LOST.first.event_id, traceIds: [traceId(2)] },
      { finding: 'missing_in_traces', eventId: LOST.second.event_id, traceIds: [traceId(2)] },
    ]);
    expect(result.sampledOut).toEqual([]);
    expect(out).not.toContain('say --sampled');
    expect(code).toBe(1);
  });

  it('explains no id of a rollout of which another event was seen, in this row or in another', async () => {
    const one = span({ traceId: traceId(2), events: [spanEvent(LOST.first)] });
    const same = await reconciled([LOST.row], [one], '--sampled');
    expect(same.result.findings).toMatchObject([{ eventId: LOST.second.event_id, traceIds: [traceId(2)] }]);
    const rows = [row(2, reportOf([agentFailure(LOST.second.event_id)])), row(2, reportOf([LOST.first]))];
    const other = await reconciled(rows, [one], '--sampled');
    expect(other.result.findings).toMatchObject([{ eventId: LOST.second.event_id }]);
    expect(other.code).toBe(1);
  });

  it('explains no id that only the traces have, and no disagreement', async () => {
    const extra = span({ ...KEPT.named, events: [spanEvent(attempt(eventId(1, 7)))] });
    const wrong = span({ ...KEPT.named, events: [spanEvent(KEPT.first, { 'nemo.gym.failure.kind': 'other' })] });
    const { code, result } = await reconciled([KEPT.row, LOST.row], [KEPT.span, extra, wrong], '--sampled');
    expect(result.findings.map(({ finding }: { finding: string }) => finding)).toEqual(['disagree', 'missing_in_rows']);
    expect(result.sampledOut).toHaveLength(2);
    expect(code).toBe(1);
  });

  it('counts rows without a rollout id each for itself', async () => {
    const { _ng_rollout_id: _one, ...old } = LOST.row;
    const { _ng_rollout_id: _other, ...another } = row(3, reportOf([attempt(eventId(3, 0))]));
    const { code, out } = await reconciled([KEPT.row, old, another], [KEPT.span], '--sampled');
    expect(out).toContain('3 ids of 2 rollouts have no trace: sampled out');
    expect(code).toBe(0);
  });

  it('where all are sampled out says that nothing is left, and asks whether these are the right traces', async () => {
    const nothing = await reconciled([LOST.row], [], '--sampled');
    expect(nothing.out).toMatch(/\nno id is left to compare: there is no span; expected OTLP JSON lines[^\n]*\n$/);
    expect(nothing.code).toBe(0);
    const others = await reconciled([LOST.row], [span({ traceId: traceId(8) })], '--sampled');
    expect(others.out).toMatch(/\nno id is left to compare\n$/);
    expect(others.code).toBe(0);
  });

  it('makes no comparison of nothing', async () => {
    const { code, out } = await reconciled([], [], '--sampled');
    expect(out).toContain('nothing to compare');
    expect(code).toBe(1);
  });
});
