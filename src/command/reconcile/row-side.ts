import { readFailureKind } from '../../records/kinds.ts';
import type { Problems } from '../problems.ts';
import { type RowPlace, reportFault, type SavedRow } from '../rows/rows.ts';
import { oneLine } from '../text.ts';
import type { DistinctSighting, TraceIndex } from '../traces/trace-index.ts';
import { type Disagreement, type Finding, MAX_NAMED } from './findings.ts';

/** What of a row's event is compared. */
interface EventFacts {
  readonly eventId: string;
  readonly kind: string;
  readonly boundary: string;
  readonly stage: string | undefined;
  readonly causeId: string | undefined;
}

/** What of a row is compared; the row itself is not kept. */
export interface RowToCheck extends RowPlace {
  readonly events: readonly EventFacts[];
}

/** How rows are checked. */
export interface RowSideOptions {
  readonly files: readonly string[];
  readonly index: TraceIndex;
  readonly problems: Problems;
  /** Rows with a missing id that wait in {@link RowSide.waiting} instead of being judged: so many, the first ones. */
  readonly maxWaiting: number;
}

const NO_ROW = 0;

/** The rows as they pass by: each is checked against the traces, and only what is needed later stays. */
export class RowSide {
  readonly #options: RowSideOptions;
  /** Rollouts that have an event in the traces or a report in a row, and their first rows as numbers. */
  readonly #rows = new Map<string, number | number[]>();
  /** The first row of each rollout that says omitted. */
  readonly #omitted = new Map<string, number>();
  /** Rollouts of which an event was seen, though no span names them. */
  readonly #seenByEvent = new Set<string>();
  readonly findings: Finding[] = [];
  readonly missingIds = new Set<string>();
  readonly waiting: RowToCheck[] = [];
  /** Missing ids of rows that did not wait. */
  judgedAtOnce = 0;
  rowCount = 0;
  withReport = 0;
  omittedCount = 0;

  constructor(options: RowSideOptions) {
    this.#options = options;
    for (const rolloutId of options.index.failedRollouts()) this.#rows.set(rolloutId, NO_ROW);
  }

  /** The first rows of a rollout. */
  rowsOf(rolloutId: string): readonly RowPlace[] {
    const rows = [this.#rows.get(rolloutId) ?? NO_ROW].flat().filter((row) => row !== NO_ROW);
    return rows.map((row) => this.#placeOf(row, rolloutId));
  }

  /** A row of the rollout that says omitted. */
  omittedRowOf(rolloutId: string): RowPlace | undefined {
    const row = this.#omitted.get(rolloutId);
    return row === undefined ? undefined : this.#placeOf(row, rolloutId);
  }

  #placeOf(row: number, rolloutId: string): RowPlace {
    const { files } = this.#options;
    return { file: files[row % files.length] ?? '', line: Math.floor(row / files.length), rolloutId };
  }

  /** Whether the traces have a span or an event of the rollout. */
  hasTrace({ rolloutId }: RowPlace): boolean {
    if (rolloutId === undefined) return false;
    return this.#seenByEvent.has(rolloutId) || this.#options.index.tracesOfRollout(rolloutId, 1).length > 0;
  }

  add(row: SavedRow, file: number): void {
    const { report } = row;
    this.rowCount += 1;
    this.#keep(row, file);
    if (report.isEmpty) return;
    this.withReport += 1;
    if (report.omitted) this.#addOmitted(row);
    const facts = factsOf(row);
    const missing = this.missingIn(facts).length;
    if (missing > 0 && this.waiting.length < this.#options.maxWaiting) {
      this.waiting.push(facts);
    } else {
      this.judgedAtOnce += missing;
      this.check(facts);
    }
  }

  /** The row's ids that the traces do not have. */
  missingIn({ events }: RowToCheck): readonly string[] {
    const { index } = this.#options;
    return events.map(({ eventId }) => eventId).filter((eventId) => !index.has(eventId));
  }

  /** Lays a row beside the traces, and keeps in what they differ. */
  check(row: RowToCheck): void {
    const { index } = this.#options;
    const place = placeOf(row);
    const eventOfTrace = new Map<string, string>();
    for (const event of row.events) {
      const sightings = index.sightings(event.eventId);
      if (sightings.length > 0) index.match(event.eventId);
      for (const { traceId } of sightings) if (!eventOfTrace.has(traceId)) eventOfTrace.set(traceId, event.eventId);
      for (const sighting of sightings) this.findings.push(...disagreements(place, event, sighting));
    }
    this.#noteUnnamed(row, eventOfTrace.keys());
    const missing = this.missingIn(row);
    if (missing.length > 0) {
      const ofRollout = row.rolloutId === undefined ? [] : index.tracesOfRollout(row.rolloutId, MAX_NAMED);
      const traceIds = [...new Set([...ofRollout, ...eventOfTrace.keys()])].slice(0, MAX_NAMED);
      for (const eventId of missing) {
        this.missingIds.add(eventId);
        this.findings.push({ finding: 'missing_in_traces', eventId, row: place, traceIds });
      }
    }
    if (eventOfTrace.size > 1) {
      const traces = Array.from(eventOfTrace, ([traceId, eventId]) => ({ traceId, eventId })).slice(0, MAX_NAMED);
      this.findings.push({ finding: 'several_traces', row: place, traces });
    }
  }

  #noteUnnamed({ rolloutId }: RowToCheck, traceIds: Iterable<string>): void {
    if (rolloutId === undefined) return;
    for (const traceId of traceIds) {
      if (!this.#options.index.names(traceId, rolloutId)) this.#seenByEvent.add(rolloutId);
    }
  }

  /** A row of a trace that is looked up later must be known too, and such a row has a report. */
  #keep({ rolloutId, line, report }: SavedRow, file: number): void {
    if (rolloutId === undefined) return;
    const { files, maxWaiting } = this.#options;
    const known = this.#rows.get(rolloutId) ?? (maxWaiting > 0 && !report.isEmpty ? NO_ROW : undefined);
    if (known === undefined) return;
    const kept = line * files.length + file;
    if (report.omitted && !this.#omitted.has(rolloutId)) this.#omitted.set(rolloutId, kept);
    if (!Array.isArray(known)) this.#rows.set(rolloutId, known === NO_ROW ? kept : [known, kept]);
    else if (known.length < MAX_NAMED) known.push(kept);
  }

  #addOmitted(row: SavedRow): void {
    this.omittedCount += 1;
    const fault = reportFault(row);
    if (fault === undefined) return;
    const { problems } = this.#options;
    problems.note(`${row.file}:${row.line}`, `the saved report reads as omitted (${oneLine(fault)})`);
  }
}

/** Where a row stands, and nothing else of it. */
export function placeOf({ file, line, rolloutId }: RowPlace): RowPlace {
  return { file, line, rolloutId };
}

function factsOf(row: SavedRow): RowToCheck {
  const events = Array.from(row.report.events.values(), (event) => ({
    eventId: event.event_id,
    kind: readFailureKind(event.failure_kind) ?? event.failure_kind,
    boundary: event.boundary,
    stage: event.stage,
    causeId: event.cause_id,
  }));
  return { ...placeOf(row), events };
}

/** Each sighting must agree with the row, whichever process made it. */
function disagreements(row: RowPlace, event: EventFacts, sighting: DistinctSighting): readonly Disagreement[] {
  const { eventId } = event;
  const found: Disagreement[] = [];
  const compare = (member: Disagreement['member'], inRow: string | undefined, inTrace: string | undefined): void => {
    if (inRow === inTrace) return;
    const sides = { member, inRow: inRow ?? null, inTrace: inTrace ?? null };
    found.push({ finding: 'disagree', eventId, row, traceId: sighting.traceId, ...sides });
  };
  compare('kind', event.kind, sighting.kind);
  compare('boundary', event.boundary, sighting.boundary);
  compare('stage', event.stage, sighting.stage);
  compare('cause_id', event.causeId, sighting.causeId);
  return found;
}
