import type { FailureEvent } from '../records/failure-event.ts';
import { readFailureKind } from '../records/kinds.ts';
import { rolloutsByAncestry } from './ancestry.ts';
import type { Disagreement, ExplainedId, Finding, Reconciliation } from './findings.ts';
import type { Problems } from './problems.ts';
import { type RowPlace, reportFault, type SavedRow, savedRows } from './rows.ts';
import { oneLine } from './text.ts';
import { type DistinctSighting, type TracedEvent, TraceIndex } from './trace-index.ts';
import type { TraceSource } from './traces.ts';

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
  const side = new RowSide(index, problems);
  for (const file of rows) {
    for await (const batch of savedRows(file, problems)) for (const row of batch) side.add(row);
  }
  const { explained, missing } = await onlyInTraces(side, index, traces);
  const findings = [...side.findings, ...missing];
  let matched = 0;
  for (const event of index.events.values()) if (event.inRows) matched += 1;
  return {
    clean: findings.length === 0 && problems.badLines === 0,
    rows: {
      rows: side.rowCount,
      withReport: side.withReport,
      omitted: side.omittedCount,
      eventIds: matched + side.missingIds.size,
    },
    traces: { spans: index.spanCount, traces: index.traceCount, eventIds: index.events.size },
    matched,
    explained,
    findings,
    badLines: problems.badLines,
  };
}

interface RolloutRow extends RowPlace {
  readonly omitted: boolean;
}

const NO_ROWS: readonly RolloutRow[] = [];

/** The rows as they pass by: each is checked against the traces, and only what is needed later stays. */
class RowSide {
  readonly #index: TraceIndex;
  readonly #problems: Problems;
  /** Rows of rollouts that have an event in the traces. */
  readonly #rows = new Map<string, readonly RolloutRow[]>();
  readonly findings: Finding[] = [];
  readonly missingIds = new Set<string>();
  rowCount = 0;
  withReport = 0;
  omittedCount = 0;

  constructor(index: TraceIndex, problems: Problems) {
    this.#index = index;
    this.#problems = problems;
  }

  rowsOf(rolloutId: string): readonly RolloutRow[] {
    return this.#rows.get(rolloutId) ?? NO_ROWS;
  }

  add(row: SavedRow): void {
    const { report, rolloutId } = row;
    this.rowCount += 1;
    if (rolloutId !== undefined && this.#index.tracesOfRollout(rolloutId).some((trace) => trace.failed)) {
      const kept = { ...placeOf(row), omitted: report.omitted };
      this.#rows.set(rolloutId, [...this.rowsOf(rolloutId), kept]);
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
      const traced = this.#index.events.get(id);
      if (traced === undefined) {
        missing.push(id);
        continue;
      }
      traced.inRows = true;
      for (const { trace } of traced.sightings) if (!eventOfTrace.has(trace.id)) eventOfTrace.set(trace.id, id);
      this.findings.push(...disagreements(row, event, traced));
    }
    for (const eventId of missing) {
      this.missingIds.add(eventId);
      const ofRollout = row.rolloutId === undefined ? [] : this.#index.tracesOfRollout(row.rolloutId);
      const traceIds = [...new Set([...ofRollout.map((trace) => trace.id), ...eventOfTrace.keys()])];
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
function disagreements(row: SavedRow, event: FailureEvent, traced: TracedEvent): readonly Disagreement[] {
  const found: Disagreement[] = [];
  const kind = readFailureKind(event.failure_kind) ?? event.failure_kind;
  for (const sighting of traced.sightings) {
    const compare = (member: Disagreement['member'], inRow: string | undefined, inTrace: string | undefined): void => {
      if (inRow === inTrace) return;
      const sides = { member, inRow: inRow ?? null, inTrace: inTrace ?? null };
      const traceId = sighting.trace.id;
      found.push({ finding: 'disagree', eventId: traced.id, row: placeOf(row), traceId, ...sides });
    };
    compare('kind', kind, sighting.kind);
    compare('boundary', event.boundary, sighting.boundary);
    compare('stage', event.stage, sighting.stage);
    compare('cause_id', event.cause_id, sighting.causeId);
  }
  return found;
}

/** Sorts the ids that no row has: a row of their rollout says omitted, or they are missing. */
async function onlyInTraces(
  side: RowSide,
  index: TraceIndex,
  sources: readonly TraceSource[],
): Promise<{ explained: ExplainedId[]; missing: Finding[] }> {
  const left = [...index.events.values()].filter((event) => !event.inRows);
  const shared = left.filter((event) => event.sightings.some((sighting) => rolloutsOf(sighting).length > 1));
  const nearest = shared.length > 0 ? await rolloutsByAncestry(sources, shared) : undefined;
  const unclear = new Set(shared.filter((event) => nearest?.has(event.id) !== true));
  const explained: ExplainedId[] = [];
  const missing: Finding[] = [];
  for (const event of left) {
    const eventId = event.id;
    const rolloutIds = [...(nearest?.get(eventId) ?? new Set(event.sightings.flatMap(rolloutsOf)))];
    const traceIds = [...new Set(event.sightings.map((sighting) => sighting.trace.id))];
    const rows = rolloutIds.flatMap((rolloutId) => side.rowsOf(rolloutId));
    const omitted = unclear.has(event) ? undefined : rows.find((row) => row.omitted);
    if (omitted !== undefined) explained.push({ eventId, traceIds, row: placeOf(omitted) });
    else missing.push({ finding: 'missing_in_rows', eventId, traceIds, rolloutIds, rows: rows.map(placeOf) });
  }
  return { explained, missing };
}

function rolloutsOf({ rolloutId, trace }: DistinctSighting): readonly string[] {
  return rolloutId === undefined ? trace.rolloutIds : [rolloutId];
}
