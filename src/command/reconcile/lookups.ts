import { eachOf } from '../each-of.ts';
import type { TraceIndex } from '../traces/trace-index.ts';
import type { SpanFacts, TraceBackend } from '../traces/traces.ts';
import type { Lookups } from './findings.ts';
import type { RowSide, RowToCheck } from './row-side.ts';

/** Rows at a time. */
const AT_ONCE = 8;
/** Rows that are looked up one by one; where more are without a trace, something else is wrong. */
export const MAX_LOOKUPS = 1000;
/** Ids of one row that are asked for, each when no trace that was found before has it: rows come from other machines. */
const MAX_IDS_OF_ROW = 64;
/** Rows after which it is of no use to go on, when nothing was found for any of them. */
const MAX_FRUITLESS = 200;

/** What is looked up, and where. */
export interface LookupOptions {
  readonly side: RowSide;
  readonly index: TraceIndex;
  readonly backends: readonly TraceBackend[];
  /** Told how far it is. */
  readonly onProgress: (text: string) => void;
}

/**
 * Looks for the missing ids of the rows that wait, one by one, so that they are not missing only because their trace
 * lies outside of the time that was read; then judges those rows.
 */
export async function lookUp({ side, index, backends, onProgress }: LookupOptions): Promise<Lookups> {
  let traces = 0;
  let done = 0;
  let fruitless = 0;
  let notAsked = side.judgedAtOnce;
  const addFrom = async (ask: (backend: TraceBackend) => Promise<readonly SpanFacts[]>): Promise<void> => {
    for (const backend of backends) traces += index.addFound(await ask(backend));
  };
  const missing = (row: RowToCheck): number => side.missingIn(row).length;
  await eachOf(side.waiting, AT_ONCE, async (row) => {
    const before = missing(row);
    if (fruitless >= MAX_FRUITLESS) {
      notAsked += before;
      return;
    }
    onProgress(`looking for ids that are missing, one by one: ${done} of ${side.waiting.length} rows`);
    const { rolloutId } = row;
    if (rolloutId !== undefined && before === row.events.length && !side.hasTrace(row)) {
      await addFrom((backend) => backend.spansOfRollout(rolloutId));
    }
    const ids = side.missingIn(row);
    for (const eventId of ids.slice(0, MAX_IDS_OF_ROW)) {
      if (!index.has(eventId)) await addFrom((backend) => backend.spansOfEvent(eventId));
    }
    if (ids.length > MAX_IDS_OF_ROW)
      notAsked += ids.slice(MAX_IDS_OF_ROW).filter((eventId) => !index.has(eventId)).length;
    done += 1;
    fruitless = missing(row) < before ? 0 : fruitless + 1;
  });
  for (const row of side.waiting) side.check(row);
  return { rows: done, traces, notAsked };
}
