import { expect, it } from 'vitest';
import { savedRow } from '../../../src/command/rows/rows.ts';
import { withLinks } from '../../../src/command/summary/find-links.ts';
import type { Summary } from '../../../src/command/summary/page/data.ts';
import { Summarizer } from '../../../src/command/summary/summarizer.ts';
import { summaryText } from '../../../src/command/summary/summary-text.ts';
import { agentFailure, attempt, reportOf, row } from '../../support/rows.ts';

const BASE = 'http://localhost:16686/jaeger';

/** A Jaeger that has the trace of everything but of what starts with `lost`. */
const finder = {
  ofEvent: async (id: string) => (id.startsWith('lost') ? [] : [`trace-of-${id}`]),
  ofRollout: async (id: string) => (id.startsWith('lost') ? [] : [`trace-of-${id}`, 'another']),
};

function summaryOf(rows: readonly Record<string, unknown>[]): Summary {
  const summarizer = new Summarizer();
  rows.forEach((value, index) => {
    summarizer.add(savedRow(value, 'rows.jsonl', index + 1));
  });
  return summarizer.summary([], 0);
}

it('each id gets the address of its trace, and those that Jaeger does not have are counted', async () => {
  const report = reportOf([attempt('lost/a'), agentFailure('b&c', 'lost/a')], { failure_id: 'b&c' });
  const summary = summaryOf([row(0, report), row(1, report, { _ng_rollout_id: 'lost-rollout' })]);
  const linked = await withLinks(summary, { finder, base: BASE, chains: 10 });
  const [chain] = linked.chains.list;
  expect(chain?.links.map(({ url }) => url)).toEqual([`${BASE}/trace/trace-of-b%26c?uiFind=b%26c`, undefined]);
  expect(chain?.examples.map(({ url }) => url)).toEqual([`${BASE}/trace/trace-of-rollout-00000000`, undefined]);
  expect(linked.jaeger).toEqual({ base: BASE, found: 2, notFound: 2, notAsked: 0 });
  expect(summaryText(linked)).toContain(`2 ids found in Jaeger at ${BASE}, 2 not there`);
});

it('only the commonest chains are looked for, a thousand ids at most', async () => {
  const kinds = Array.from({ length: 400 }, (_, index) => `evil:k${index}`);
  const rows = kinds.map((kind, index) =>
    row(index, reportOf([attempt(`a${index}`, { failure_kind: kind }), agentFailure(`b${index}`, `a${index}`)])),
  );
  const summary = summaryOf(rows);
  const few = await withLinks(summary, { finder, base: BASE, chains: 10 });
  expect(few.jaeger).toEqual({ base: BASE, found: 30, notFound: 0, notAsked: 0 });
  expect(few.chains.list).toHaveLength(400);
  const all = await withLinks(summary, { finder, base: BASE, chains: 400 });
  expect(all.jaeger).toEqual({ base: BASE, found: 1000, notFound: 0, notAsked: 200 });
});
