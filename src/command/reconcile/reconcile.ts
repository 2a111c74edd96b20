import type { FailureEvent } from '../../records/failure-event.ts';
import { readFailureKind } from '../../records/kinds.ts';
import type { Problems } from '../problems.ts';
import { type RowPlace, reportFault, type SavedRow, savedRows } from '../rows/rows.ts';
import { oneLine } from '../text.ts';
import { rolloutsByAncestry } from '../traces/ancestry.ts';
import { type DistinctSighting, TraceIndex } from '../traces/trace-index.ts';
import type { TraceSource } from '../traces/traces.ts';
import type { Disagreement, ExplainedId, Finding, Reconciliation } from './findings.ts';

/** What is laid side by side. */
export interface ReconcileOptions {
  /** Paths of JSON lines files. */
  readonly rows: readonly string[];
  readonly traces: readonly TraceSource[];
  /** Takes what cannot be read; its bad lines make the result unclean. */
  readonly problems: Problems;
}

/**
 * Compares the failure ids of saved rows with those of traces, both ways. The traces' ids are held, the rows pass by.
 *
 * @throws UnreadableFileError when a file or source cannot be read at all
 */
export async function reconcile({ rows, traces, problems }: ReconcileOptions): Promise<Reconciliation> {
  const index = await TraceIndex.of(traces, problems);
  const side = new RowSide(rows, index, problems);
  for (const [number, file] of rows.entries()) {
    for await (const batch of savedRows(file, problems)) for (const row of batch) side.add(row, number);
  }
  const { explained, missing } = await onlyInTraces(side, index, traces);
  const findings = [...side.findings, ...missing];
  const matched = index.matchedCount;
  const eventIds = matched + side.missingIds.size + index.eventCount;
  const nothingToCompare = eventIds === 0 && (side.rowCount === 0 || index.spanCount === 0);
  return {
    clean: findings.length === 0 && problems.badLines === 0 && !nothingToCompare,
    nothingToCompare,
    rows: {
      rows: side.rowCount,
      withReport: side.withReport,
      omitted: side.omittedCount,
      eventIds: matched + side.missingIds.size,
    },
    traces: { spans: index.spanCount, traces: index.traceCount, eventIds: index.eventCount },
    matched,
    explained,
    findings,
    badLines: problems.badLines,
  };
}

interface RolloutRow extends RowPlace {
  readonly omitted: boolean;
}

const NO_ROW = 0;

/** The rows as they pass by: each is checked against the traces, and only what is needed later stays. */
class RowSide {
  readonly #index: TraceIndex;
  readonly #problems: Problems;
  readonly #files: readonly string[];
  /** Rollouts that have an event in the traces, and their rows as numbers: only those are needed later. */
  readonly #rows = new Map<string, number | number[]>();
  readonly findings: Finding[] = [];
  readonly missingIds = new Set<string>();
  rowCount = 0;
  withReport = 0;
  omittedCount = 0;

  constructor(files: readonly string[], index: TraceIndex, problems: Problems) {
    this.#files = files;
    this.#index = index;
    this.#problems = problems;
    for (const rolloutId of index.failedRollouts()) this.#rows.set(rolloutId, NO_ROW);
  }

  rowsOf(rolloutId: string): readonly RolloutRow[] {
    const rows = [this.#rows.get(rolloutId) ?? NO_ROW].flat().filter((row) => row !== NO_ROW);
    return rows.map((row) => {
      const place = Math.floor(row / 2);
      const file = this.#files[place % this.#files.length] ?? '';
      return { file, line: Math.floor(place / this.#files.length), rolloutId, omitted: row % 2 === 1 };
    });
  }

  add(row: SavedRow, file: number): void {
    const { report, rolloutId } = row;
    this.rowCount += 1;
    const known = rolloutId === undefined ? undefined : this.#rows.get(rolloutId);
    if (rolloutId !== undefined && known !== undefined) {
      const kept = (row.line * this.#files.length + file) * 2 + (report.omitted ? 1 : 0);
      if (Array.isArray(known)) known.push(kept);
      else this.#rows.set(rolloutId, known === NO_ROW ? kept : [known, kept]);
    }
    if (report.isEmpty) return;
    this.withReport += 1;
    if (report.omitted) this.#addOmitted(row);
    this.#check(row);
  }

  #addOmitted(row: SavedRow): void {
    this.omittedCount += 1;
    const fault = reportFault(row);
    if (fault !== undefined) {
      this.#problems.note(`${row.file}:${row.line}`, `the saved report reads as omitted (${oneLine(fault)})`);
    }
  }

  #check(row: SavedRow): void {
    const eventOfTrace = new Map<string, string>();
    const missing: string[] = [];
    for (const [id, event] of row.report.events) {
      const sightings = this.#index.sightings(id);
      if (sightings.length === 0) {
        missing.push(id);
        continue;
      }
      this.#index.match(id);
      for (const { traceId } of sightings) if (!eventOfTrace.has(traceId)) eventOfTrace.set(traceId, id);
      for (const sighting of sightings) this.findings.push(...disagreements(row, event, sighting));
    }
    for (const eventId of missing) {
      this.missingIds.add(eventId);
      const ofRollout = row.rolloutId === undefined ? [] : this.#index.tracesOfRollout(row.rolloutId);
      const traceIds = [...new Set([...ofRollout, ...eventOfTrace.keys()])];
      this.findings.push({ finding: 'missing_in_traces', eventId, row: placeOf(row), traceIds });
    }
    if (eventOfTrace.size > 1) {
      const traces = [...eventOfTrace].map(([traceId, eventId]) => ({ traceId, eventId }));
      this.findings.push({ finding: 'several_traces', row: placeOf(row), traces });
    }
  }
}

function placeOf({ file, line, rolloutId }: RowPlace): RowPlace {
  return { file, line, rolloutId };
}

/** Each sighting must agree with the row, whichever process made it. */
function disagreements(row: SavedRow, event: FailureEvent, sighting: DistinctSighting): readonly Disagreement[] {
  const found: Disagreement[] = [];
  const compare = (member: Disagreement['member'], inRow: string | undefined, inTrace: string | undefined): void => {
    if (inRow === inTrace) return;
    const sides = { member, inRow: inRow ?? null, inTrace: inTrace ?? null };
    found.push({
      finding: 'disagree',
      eventId: event.event_id,
      row: placeOf(row),
      traceId: sighting.traceId,
      ...sides,
    });
  };
  compare('kind', readFailureKind(event.failure_kind) ?? event.failure_kind, sighting.kind);
  compare('boundary', event.boundary, sighting.boundary);
  compare('stage', event.stage, sighting.stage);
  compare('cause_id', event.cause_id, sighting.causeId);
  return found;
}

/** Sorts the ids that no row has: a row of their rollout says omitted, or they are missing. */
async function onlyInTraces(
  side: RowSide,
  index: TraceIndex,
  sources: readonly TraceSource[],
): Promise<{ explained: ExplainedId[]; missing: Finding[] }> {
  const left = [...index.unmatchedIds()];
  const rolloutsOf = ({ rolloutId, traceId }: DistinctSighting): readonly string[] =>
    rolloutId === undefined ? index.rolloutsOfTrace(traceId) : [rolloutId];
  const shared = new Set(left.filter((id) => index.sightings(id).some((sighting) => rolloutsOf(sighting).length > 1)));
  const nearest = shared.size > 0 ? await rolloutsByAncestry(sources, shared) : undefined;
  const explained: ExplainedId[] = [];
  const missing: Finding[] = [];
  for (const eventId of left) {
    const sightings = index.sightings(eventId);
    const traceIds = [...new Set(sightings.map((sighting) => sighting.traceId))];
    const rolloutIds = shared.has(eventId)
      ? [...(nearest?.get(eventId) ?? [])]
      : [...new Set(sightings.flatMap(rolloutsOf))];
    const rows = rolloutIds.flatMap((rolloutId) => side.rowsOf(rolloutId));
    const omitted = rows.find((row) => row.omitted);
    if (omitted !== undefined) explained.push({ eventId, traceIds, row: placeOf(omitted) });
    else missing.push({ finding: 'missing_in_rows', eventId, traceIds, rolloutIds, rows: rows.map(placeOf) });
  }
  return { explained, missing };
}
