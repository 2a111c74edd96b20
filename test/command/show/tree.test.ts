import { describe, expect, it } from 'vitest';
import { savedRow } from '../../../src/command/rows/rows.ts';
import { renderTree } from '../../../src/command/show/tree.ts';
import type { FailureEvent } from '../../../src/records/failure-event.ts';
import type { FailureReportRecord } from '../../../src/records/failure-report.ts';
import { agentFailure, attempt, reportOf, row } from '../../support/rows.ts';

function tree(report: FailureReportRecord, more: Record<string, unknown> = {}): string {
  return renderTree(savedRow(row(5, report, more), 'rows.jsonl', 7));
}

function chain(length: number): FailureEvent[] {
  return Array.from({ length }, (_, index) =>
    index === 0 ? attempt('c0') : agentFailure(`c${index}`, `c${index - 1}`),
  );
}

describe('a row', () => {
  it('without failures is not shown', () => {
    expect(tree({})).toBe('');
  });

  it('has its own failure on top and the causes below', () => {
    const events = [attempt('a'), agentFailure('b', 'a'), attempt('c', { stage: 'verification' })];
    expect(tree(reportOf(events, { failure_id: 'b' }))).toBe(
      `rows.jsonl:7  rollout rollout-00000005  task 1  no. 1  reward 1
  own failure  agent  agent_run_error  stage agent  operation run  event b
      the agent could not finish its turn
    caused by  model  transport_timeout  operation responses  HTTP 504  event a
        upstream timed out
        foreign error APIConnectionTimeoutError: Request timed out.
  also observed  model  transport_timeout  stage verification  operation responses  HTTP 504  event c
      upstream timed out
      foreign error APIConnectionTimeoutError: Request timed out.

`,
    );
  });

  it('without a failure of its own recovered', () => {
    expect(tree(reportOf([attempt('a')]))).toContain('  recovered  model  transport_timeout');
  });

  it('that names a failure in its own fields has not recovered', () => {
    const judge = { _ng_failure_class: 'judge_failed', failure_reason: 'no verdict' };
    expect(tree(reportOf([attempt('a')]), judge)).toContain('  observed  model  transport_timeout');
    expect(tree(reportOf([attempt('a')]), judge)).toContain('  row says judge_failed: no verdict\n');
  });

  it('that names a failure without a report is shown', () => {
    const text = tree({}, { failure_kind: 'judge_failed', failure_reason: 'no verdict' });
    expect(text).toContain('row says judge_failed: no verdict (no failure report saved)');
  });

  it('has a note when evidence was omitted', () => {
    expect(tree({ omitted: true })).toContain('evidence was omitted on the way');
    expect(tree(reportOf([attempt('a')], { omitted: true }))).toMatch(/recovered[\s\S]*evidence was omitted/);
  });

  it('says why a saved report cannot be read', () => {
    const text = tree({}, { _ng_failure_events: { a: { boundary: 'nowhere' } } });
    expect(text).toContain('the saved report cannot be read and counts as omitted');
    expect(text).toContain('events.a.boundary');
  });

  it('of an old Gym, without ids, is shown', () => {
    const { _ng_rollout_id: _id, ...old } = row(5, reportOf([attempt('a')]));
    expect(renderTree(savedRow(old, 'rows.jsonl', 7))).toContain('rollout (no id)');
  });
});

describe('chains', () => {
  it('that share a cause draw it once', () => {
    const events = [attempt('a'), agentFailure('b', 'a'), agentFailure('c', 'a')];
    const text = tree(reportOf(events, { failure_id: 'b' }));
    expect(text.match(/caused by/g)).toHaveLength(2);
    expect(text).toContain('    caused by the one above, event a\n');
    expect(text.match(/upstream timed out/g)).toHaveLength(1);
  });

  it('that are thousands of links long are drawn whole, not ever further to the right', () => {
    const text = tree(reportOf(chain(5000), { failure_id: 'c4999' }));
    expect(text.match(/event c\d+\n/g)).toHaveLength(5000);
    expect(text.length).toBeLessThan(5000 * 300);
  });

  it('have their trace beside them when traces were read', () => {
    const traces = {
      traceOfEvent: (id: string) => (id === 'b' ? 'trace-of-b' : undefined),
      traceOfRollout: () => 'trace-of-rollout',
    };
    const report = reportOf([attempt('a'), agentFailure('b', 'a')], { failure_id: 'b' });
    const text = renderTree(savedRow(row(5, report), 'rows.jsonl', 7), { traces });
    expect(text).toMatch(/^rows.jsonl:7 .* trace trace-of-rollout\n/);
    expect(text).toMatch(/event b {2}trace trace-of-b\n/);
  });
});

it('lets no text of a row reach the terminal as more than text', () => {
  const evil = '\x1b[31m\u202e\x07\x9b2J\nnext';
  const event = attempt(evil, {
    failure_reason: evil,
    operation: evil,
    foreign_error: { exception_type: evil, message: evil },
  });
  const more = { _ng_rollout_id: evil, _ng_task_index: evil, reward: evil, _ng_failure_class: evil };
  const saved = savedRow(row(1, reportOf([event]), more), `${evil}.jsonl`, 1);
  const text = renderTree(saved);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
  expect(text.trimEnd().split('\n')).toHaveLength(5);
});

it('colours each part by what it is', () => {
  const report = reportOf([attempt('a'), agentFailure('b', 'a'), attempt('c')], { failure_id: 'b' });
  const style = (name: string, text: string) => `<${name}>${text}</${name}>`;
  const text = renderTree(savedRow(row(5, report), 'rows.jsonl', 7), { style });
  expect(text).toContain('<red>own failure</red>');
  expect(text).toContain('<dim>caused by</dim>');
  expect(text).toContain('<yellow>also observed</yellow>');
});
