import { rolloutsByAncestry } from '../traces/ancestry.ts';
import type { DistinctSighting, TraceIndex } from '../traces/trace-index.ts';
import type { TraceSource } from '../traces/traces.ts';
import type { ExplainedId, Finding } from './findings.ts';
import { placeOf, type RowSide } from './row-side.ts';

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
    const rows = rolloutIds.flatMap((rolloutId) => side.rowsOf(rolloutId));
    const omitted = rows.find((row) => row.omitted);
    if (omitted !== undefined) explained.push({ eventId, traceIds, row: placeOf(omitted) });
    else missing.push({ finding: 'missing_in_rows', eventId, traceIds, rolloutIds, rows: rows.map(placeOf) });
  }
  return { explained, missing, ofOthers: all.length - left.length };
}

/** A trace is the rows' own when a file has it, when a span names a rollout of a row, or when a row has an id of it. */
function belongsToRows(
  side: RowSide,
  index: TraceIndex,
  sources: readonly TraceSource[],
): (traceId: string) => boolean {
  if (sources.every(({ backend }) => backend === undefined)) return () => true;
  const hasMatch = index.tracesWithMatch();
  return (traceId) =>
    index.isOwn(traceId) ||
    hasMatch(traceId) ||
    index.rolloutsOfTrace(traceId).some((rolloutId) => side.rowsOf(rolloutId).length > 0);
}

function tracesOf(sightings: readonly DistinctSighting[]): readonly string[] {
  return [...new Set(sightings.map(({ traceId }) => traceId))];
}
