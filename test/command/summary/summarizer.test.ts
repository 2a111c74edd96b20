import { describe, expect, it } from 'vitest';
import { savedRow } from '../../../src/command/rows/rows.ts';
import type { Summary } from '../../../src/command/summary/page/data.ts';
import { Summarizer } from '../../../src/command/summary/summarizer.ts';
import { chainName, summaryText } from '../../../src/command/summary/summary-text.ts';
import type { FailureReportRecord } from '../../../src/records/failure-report.ts';
import { agentFailure, attempt, reportOf, row } from '../../support/rows.ts';

type Given = readonly [report: FailureReportRecord, more?: Record<string, unknown>];

function summaryOf(...rows: readonly Given[]): Summary {
  const summarizer = new Summarizer();
  rows.forEach(([report, more], index) => {
    summarizer.add(savedRow(row(index, report, more), 'rows.jsonl', index + 1));
  });
  return summarizer.summary(['rows.jsonl'], 0);
}

const failed = reportOf([attempt('a'), agentFailure('b', 'a'), attempt('c', { stage: 'verification' })], {
  failure_id: 'b',
});
const recovered = reportOf([attempt('a')]);

describe('rows', () => {
  it('are counted as show counts them', () => {
    const judge = { failure_kind: 'judge_failed', failure_reason: 'no verdict' };
    const { rows } = summaryOf([failed], [recovered], [{ omitted: true }], [{}], [{}, judge]);
    expect(rows).toEqual({
      rows: 5,
      failed: 2,
      failedWithoutReport: 1,
      recovered: 1,
      onlyOmitted: 1,
      withoutFailures: 1,
      omitted: 1,
    });
  });
});

describe('events', () => {
  it('are fatal in the own chain, also observed beside it, and recovered in a row that did not fail', () => {
    const { events, kinds } = summaryOf([failed], [recovered], [recovered]);
    expect(events).toEqual({ fatal: 2, alsoObserved: 1, recovered: 2, total: 5 });
    expect(kinds.list).toEqual([
      { boundary: 'model', kind: 'transport_timeout', stage: '', fatal: 1, alsoObserved: 0, recovered: 2, total: 3 },
      { boundary: 'agent', kind: 'agent_run_error', stage: 'agent', fatal: 1, alsoObserved: 0, recovered: 0, total: 1 },
      {
        boundary: 'model',
        kind: 'transport_timeout',
        stage: 'verification',
        fatal: 0,
        alsoObserved: 1,
        recovered: 0,
        total: 1,
      },
    ]);
  });

  it('of a row that names a failure in its own fields have not recovered', () => {
    const { events } = summaryOf([recovered, { _ng_failure_class: 'judge_failed' }]);
    expect(events).toMatchObject({ alsoObserved: 1, recovered: 0 });
  });

  it('without a cause are first causes', () => {
    const { firstCauses } = summaryOf([failed]);
    expect(firstCauses.list).toEqual([
      { boundary: 'model', kind: 'transport_timeout', fatal: 1, alsoObserved: 1, recovered: 0, total: 2 },
    ]);
  });
});

describe('chains', () => {
  it('that have boundaries and kinds in common are one, with up to three rows as examples', () => {
    const { chains } = summaryOf(...Array.from({ length: 5 }, () => [failed] as const), [recovered]);
    const [alone, whole] = chains.list;
    expect(chains.list.map(({ links }) => chainName(links))).toEqual([
      'model/transport_timeout',
      'agent/agent_run_error ← model/transport_timeout',
    ]);
    expect(alone).toMatchObject({ alsoObserved: 5, recovered: 1, total: 6 });
    expect(whole).toMatchObject({ fatal: 5, total: 5 });
    expect(whole?.examples.map(({ line, rolloutId }) => `${line} ${rolloutId}`)).toEqual([
      '1 rollout-00000000',
      '2 rollout-00000001',
      '3 rollout-00000002',
    ]);
    expect(whole?.links[1]).toEqual({
      boundary: 'model',
      kind: 'transport_timeout',
      operation: 'responses',
      httpStatus: 504,
      eventId: 'a',
      reason: 'upstream timed out',
      foreignError: 'APIConnectionTimeoutError: Request timed out.',
    });
  });

  it('that many events share are each followed to the first cause, in linear time', () => {
    const count = 15_000;
    const long = Array.from({ length: count }, (_, index) =>
      index === 0 ? attempt('c0') : agentFailure(`c${index}`, `c${index - 1}`),
    );
    const heads = Array.from({ length: count }, (_, index) => agentFailure(`h${index}`, `c${count - 1}`));
    const saved = savedRow(row(1, reportOf([...long, ...heads])), 'rows.jsonl', 1);
    const start = performance.now();
    const summarizer = new Summarizer();
    summarizer.add(saved);
    const [chain] = summarizer.summary([], 0).chains.list;
    expect(performance.now() - start).toBeLessThan(3_000);
    expect(chain?.total).toBe(count);
    expect(chain?.links).toHaveLength(13);
    expect(chainName(chain?.links ?? [])).toMatch(/agent_run_error ← … ← model\/transport_timeout$/);
  });
});

describe('names without end', () => {
  const many = (count: number): Given[] =>
    Array.from({ length: count }, (_, index) => [reportOf([attempt('a', { failure_kind: `evil:k${index}` })])]);

  it('are counted as other, and a common one that comes late is still found', () => {
    const summary = summaryOf(...many(5000), ...Array.from({ length: 2000 }, () => [recovered] as const));
    const { kinds, chains, firstCauses } = summary;
    expect(kinds.list.length).toBeLessThanOrEqual(2048);
    expect(chains.list.length).toBeLessThanOrEqual(500);
    expect(kinds.list[0]).toMatchObject({ kind: 'transport_timeout', total: 2000 });
    for (const { list, other } of [kinds, chains, firstCauses]) {
      expect(list.reduce((sum, { total }) => sum + total, other)).toBe(7000);
    }
    expect(summaryText(summary)).toContain('of names that are too many to count each');
  });

  it('of a megabyte are cut', () => {
    const event = attempt('a'.repeat(1e6), {
      failure_kind: `evil:${'k'.repeat(1e6)}`,
      failure_reason: 'r'.repeat(1e6),
      foreign_error: { exception_type: 't'.repeat(1e6), message: 'm'.repeat(1e6) },
    });
    const summary = summaryOf([reportOf([event]), { _ng_rollout_id: 'i'.repeat(1e6) }]);
    expect(JSON.stringify(summary).length).toBeLessThan(5000);
  });

  it('and what a terminal would act on are written out', () => {
    const evil = '\x1b[31m\u202e\x07\x9b2J\nnext';
    const event = attempt(evil, {
      failure_reason: evil,
      operation: evil,
      foreign_error: { exception_type: evil, message: evil },
    });
    const summary = summaryOf([reportOf([event]), { _ng_rollout_id: `${evil}\ud800` }]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    const unsafe = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]|\\ud800/;
    expect(summaryText(summary)).not.toMatch(unsafe);
    expect(JSON.stringify(summary)).not.toMatch(unsafe);
    expect(JSON.stringify(summary)).toContain('\\\\u{1b}[31m\\\\u{202e}');
  });
});

describe('the text', () => {
  it('has a table of kinds, the first causes and the commonest chains', () => {
    expect(summaryText(summaryOf([failed], [recovered]))).toBe(
      `2 rows: 1 failed, 1 recovered, 0 without failures
4 events: 2 fatal, 1 also observed, 1 recovered

failures
  boundary  kind               stage         fatal  also observed  recovered  all
  model     transport_timeout  -                 1              0          1    2
  agent     agent_run_error    agent             1              0          0    1
  model     transport_timeout  verification      0              1          0    1

first causes
  boundary  kind               fatal  also observed  recovered  all
  model     transport_timeout      1              1          1    3

commonest chains
  model/transport_timeout
      1 also observed, 1 recovered
      for example rows.jsonl:1 rollout rollout-00000000
  agent/agent_run_error ← model/transport_timeout
      1 fatal
      for example rows.jsonl:1 rollout rollout-00000000
`,
    );
  });

  it('says so when nothing failed', () => {
    expect(summaryText(summaryOf([{}]))).toBe(
      '1 row: 0 failed, 0 recovered, 1 without failures\n0 events: 0 fatal, 0 also observed, 0 recovered\n\nno failures\n',
    );
  });
});
