import type { RowPlace } from '../rows/rows.ts';

/** Rows, traces and rollouts that one finding names at most: a rollout of thousands of rows has as many findings. */
export const MAX_NAMED = 20;

/** A row that has an id which the traces do not have. */
export interface MissingInTraces {
  readonly finding: 'missing_in_traces';
  readonly eventId: string;
  readonly row: RowPlace;
  /** Where the rollout's other spans and events are; empty when no trace has any. */
  readonly traceIds: readonly string[];
}

/** An id that only the traces have, and no row says that evidence was omitted. */
export interface MissingInRows {
  readonly finding: 'missing_in_rows';
  readonly eventId: string;
  readonly traceIds: readonly string[];
  /** The rollouts that it may belong to, by `nemo.gym.rollout.id`. */
  readonly rolloutIds: readonly string[];
  /** The saved rows of those rollouts. */
  readonly rows: readonly RowPlace[];
}

/** An event that its row and a span describe differently. */
export interface Disagreement {
  readonly finding: 'disagree';
  readonly eventId: string;
  readonly row: RowPlace;
  readonly traceId: string;
  readonly member: 'kind' | 'boundary' | 'stage' | 'cause_id';
  /** `null`: absent. */
  readonly inRow: string | null;
  readonly inTrace: string | null;
}

/** A row whose events are in more than one trace. */
export interface SeveralTraces {
  readonly finding: 'several_traces';
  readonly row: RowPlace;
  readonly traces: readonly { readonly traceId: string; readonly eventId: string }[];
}

/** One way in which rows and traces differ. */
export type Finding = MissingInTraces | MissingInRows | Disagreement | SeveralTraces;

/** An id that only the traces have, because its row says that evidence was omitted. */
export interface ExplainedId {
  readonly eventId: string;
  readonly traceIds: readonly string[];
  /** The row that says omitted. */
  readonly row: RowPlace;
}

/** An id of a row for whose rollout the traces hold nothing, where the user says that traces are sampled. */
export interface SampledOutId {
  readonly eventId: string;
  readonly row: RowPlace;
}

/** What was looked up one by one in a tracing backend. */
export interface Lookups {
  /** Rows whose missing ids were looked for. */
  readonly rows: number;
  /** Traces found so, which were not in the time that was read. */
  readonly traces: number;
  /** Missing ids, of the further rows, that were looked for only in the time that was read. */
  readonly notAsked: number;
}

/** What came of laying rows and traces side by side. */
export interface Reconciliation {
  /** No finding, nothing that could not be read, and something to compare. */
  readonly clean: boolean;
  /** No id on either side, and no row or no span at all: a file is empty, or of another form. */
  readonly nothingToCompare: boolean;
  readonly rows: {
    readonly rows: number;
    /** Rows with a report that is not empty. */
    readonly withReport: number;
    /** Rows that say omitted. */
    readonly omitted: number;
    /** Distinct event ids. */
    readonly eventIds: number;
  };
  readonly traces: { readonly spans: number; readonly traces: number; readonly eventIds: number };
  /** Distinct ids on both sides. */
  readonly matched: number;
  readonly explained: readonly ExplainedId[];
  readonly findings: readonly Finding[];
  readonly sampledOut: readonly SampledOutId[];
  /** Addresses of the tracing backends among the sources. */
  readonly backends: readonly string[];
  /** Ids in traces of a backend that have nothing to do with the rows; they are left out. */
  readonly otherRollouts: number;
  /** Only with a backend. */
  readonly lookups: Lookups | undefined;
  /** Lines of any file that could not be read and are left out. */
  readonly badLines: number;
  /** Times of which a backend did not give all traces. */
  readonly cuts: number;
}
