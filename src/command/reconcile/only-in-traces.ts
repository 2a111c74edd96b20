import { rolloutsByAncestry } from '../traces/ancestry.ts';
import type { DistinctSighting, TraceIndex } from '../traces/trace-index.ts';
import type { TraceSource } from '../traces/traces.ts';
import { type ExplainedId, type Finding, MAX_NAMED, type MissingInRows } from './findings.ts';
import type { RowSide } from './row-side.ts';

/** The ids that no row has, sorted. */
export interface OnlyInTraces {
  readonly explained: readonly ExplainedId[];
  readonly missing: readonly Finding[];
  /** Those in traces that have nothing to do with the rows: a tracing backend holds other people's traces too. */
  readonly ofOthers: number;
}

/** Sorts the ids that no row has: they are others', or a row of their rollout says omitted, or they are missing. */
export async function onlyInTraces(
  side: RowSide,
  index: TraceIndex,
  sources: readonly TraceSource[],
): Promise<OnlyInTraces> {
  const isOurs = belongsToRows(side, index, sources);
  const all = [...index.unmatchedIds()];
  const left = all.filter((eventId) => index.sightings(eventId).some(({ traceId }) => isOurs(traceId)));
  const rolloutsOf = ({ rolloutId, traceId }: DistinctSighting): readonly string[] =>
    rolloutId === undefined ? index.rolloutsOfTrace(traceId) : [rolloutId];
  const shared = new Map<string, readonly string[]>();
  for (const eventId of left) {
    const sightings = index.sightings(eventId);
    if (sightings.some((sighting) => rolloutsOf(sighting).length > 1)) shared.set(eventId, tracesOf(sightings));
  }
  const nearest = shared.size > 0 ? await rolloutsByAncestry(sources, shared) : undefined;
  const explained: ExplainedId[] = [];
  const missing: Finding[] = [];
  for (const eventId of left) {
    const sightings = index.sightings(eventId);
    const traceIds = tracesOf(sightings);
    const rolloutIds = shared.has(eventId)
      ? [...(nearest?.get(eventId) ?? [])]
      : [...new Set(sightings.flatMap(rolloutsOf))];
    const row = firstOf(rolloutIds, (rolloutId) => side.omittedRowOf(rolloutId));
    if (row === undefined) missing.push(missingInRows(side, eventId, traceIds, rolloutIds));
    else explained.push({ eventId, traceIds, row });
  }
  return { explained, missing, ofOthers: all.length - left.length };
}

function missingInRows(
  side: RowSide,
  eventId: string,
  traceIds: readonly string[],
  all: readonly string[],
): MissingInRows {
  const rolloutIds = all.slice(0, MAX_NAMED);
  const rows = rolloutIds.flatMap((rolloutId) => side.rowsOf(rolloutId)).slice(0, MAX_NAMED);
  return { finding: 'missing_in_rows', eventId, traceIds, rolloutIds, rows };
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A trace is the rows' own when a file has it, when a span names a rollout of a row, or when a row has an id of it. */
function belongsToRows(
  side: RowSide,
  index: TraceIndex,
  sources: readonly TraceSource[],
): (traceId: string) => boolean {
  if (sources.every(({ backend }) => backend === undefined)) return () => true;
  const hasMatch = index.tracesWithMatch();
  // Many ids may be in one trace, and it may name many rollouts.
  const known = new Map<string, boolean>();
  return (traceId) => {
    const isOurs =
      known.get(traceId) ??
      (index.isOwn(traceId) ||
        hasMatch(traceId) ||
        index.rolloutsOfTrace(traceId).some((rolloutId) => side.rowsOf(rolloutId).length > 0));
    known.set(traceId, isOurs);
    return isOurs;
  };
}

function tracesOf(sightings: readonly DistinctSighting[]): readonly string[] {
  return [...new Set(sightings.map(({ traceId }) => traceId))];
}
