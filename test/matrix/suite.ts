import { describe, expect, it } from 'vitest';
import type { Case, ExpectedReply } from './case.ts';
import { CASES } from './cases.ts';
import { type Cell, nameOf, type Platform, SETUPS, type Setup, twinOf } from './cells.ts';
import { type CellResults, runCell, type ServerSpan } from './run-cell.ts';

const REPORT_LINE = /^x-ng-failure-report: (.*)\r\n/gim;

/** The tests of one platform: each case in each setup, beside the same server without the package. */
export function matrixSuite(platform: Platform): void {
  const twins = new Map<string, Promise<CellResults>>();
  const resultsOfTwin = (cell: Cell): Promise<CellResults> => {
    const twin = twinOf(cell);
    const key = JSON.stringify(twin);
    const results = twins.get(key) ?? runCell(twin);
    twins.set(key, results);
    return results;
  };

  // Loops, since `each` cuts long names in titles.
  for (const setup of SETUPS) describe(nameOf(setup), () => setupSuite(setup));

  function setupSuite(setup: Setup): void {
    const cell: Cell = { ...platform, ...setup, package: true };
    let started: Promise<[CellResults, CellResults]> | undefined;
    // Not in a hook: when a server does not start, each of its tests shall fail and be counted.
    const results = (): Promise<[CellResults, CellResults]> => {
      started ??= Promise.all([runCell(cell), resultsOfTwin(cell)]);
      return started;
    };

    for (const of of CASES) it(of.name, async () => caseTest(of));
    const caseTest = async (of: Case): Promise<void> => {
      const [ours, twins] = await results();
      const bytes = bytesOf(ours, of);
      expect(comparable(bytes, of)).toBe(comparable(bytesOf(twins, of), of));
      expect(reportsIn(bytes)).toEqual(of.replies.flatMap(({ report }) => report ?? []));
      if (of.inBody !== undefined) expect(bytes).toContain(of.inBody);
      if (of.noted !== undefined) expect(ours.noted[of.noted.as]).toBe(of.noted.report);
    };

    it('shows each report on the server span of its request, and only where there is one', async () => {
      const [ours, twins] = await results();
      expect(ours.spans.map(({ path }) => path).sort()).toEqual(twins.spans.map(({ path }) => path).sort());
      const inSpans = CASES.filter(({ server }) => server !== 'http2' && server !== 'strict');
      for (const reply of inSpans.flatMap(({ replies }) => replies)) {
        const spans = ours.spans.filter(({ path }) => path === reply.path);
        const isTraced = cell.sdk === 'on' && (cell.start === 'before' || reply.path !== '/first');
        expect(spans.length > 0, reply.path).toBe(isTraced);
        for (const span of spans) {
          const twin = twins.spans.find(({ path }) => path === reply.path);
          expect(shownOn(span), reply.path).toEqual(toShow(reply, twin?.isError ?? false));
        }
      }
    });

    it('says on stderr what the server says without it', async () => {
      const [ours, twins] = await results();
      expect(steady(ours.stderr)).toBe(steady(twins.stderr));
    });
  }
}

function bytesOf(results: CellResults, { name }: Case): string {
  const bytes = results.replies.get(name);
  if (typeof bytes !== 'string') throw bytes ?? new Error(`nobody asked for ${name}`);
  return bytes;
}

/** All that must not change: everything but the date, the report header, and the report in a stream's last event. */
function comparable(bytes: string, { inBody = '' }: Case): string {
  return bytes
    .replaceAll(REPORT_LINE, '')
    .replaceAll(/^date: .*\r$/gim, 'date: -\r')
    .replace(inBody, '');
}

function reportsIn(bytes: string): string[] {
  return [...bytes.matchAll(REPORT_LINE)].map(([, value = '']) => value);
}

function shownOn({ failureId, count, isError, shown }: ServerSpan): unknown {
  return { failureId, count, isError, shown: [...new Set(shown)].sort() };
}

function toShow({ report = '{}', whole = report }: ExpectedReply, isErrorWithout: boolean): unknown {
  const { failure_id: failureId, events } = JSON.parse(whole);
  const shown = Object.keys(events ?? {});
  const count = shown.length > 0 ? shown.length : undefined;
  return { failureId, count, isError: isErrorWithout || failureId !== undefined, shown: shown.sort() };
}

function steady(stderr: string): string {
  return stderr.replaceAll(/\(node:\d+\)/g, '(node)');
}
