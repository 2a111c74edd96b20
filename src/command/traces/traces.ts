import type { Problems } from '../problems.ts';

/** One event on one span: the same event is on every span on which a process observed it. */
export interface Sighting {
  readonly eventId: string;
  readonly kind: string | undefined;
  readonly boundary: string | undefined;
  readonly stage: string | undefined;
  readonly causeId: string | undefined;
}

/** What of a span is needed here. */
export interface SpanFacts {
  /** Lower-case hex. */
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root of its trace. */
  readonly parentSpanId: string;
  /** Attribute `nemo.gym.rollout.id`. */
  readonly rolloutId: string | undefined;
  readonly sightings: readonly Sighting[];
}

/** A source that can be asked for single traces. Each throws UnreadableFileError when it cannot be asked. */
export interface TraceBackend {
  /** The spans of these traces, as many at a time as come together. */
  spansOfTraces(traceIds: Iterable<string>): AsyncIterable<readonly SpanFacts[]>;
  /** The spans of all traces that have the event, whenever they were. */
  spansOfEvent(eventId: string): Promise<readonly SpanFacts[]>;
  /** The spans of all traces in which a span names the rollout, whenever they were. */
  spansOfRollout(rolloutId: string): Promise<readonly SpanFacts[]>;
}

/** Where spans come from: a file, or a tracing backend. */
export interface TraceSource {
  /** For people, e.g. the file's path. */
  readonly name: string;
  /** Set for a tracing backend, which holds other people's traces too; a file is taken for this run's. */
  readonly backend?: TraceBackend;
  /**
   * The spans, as many at a time as come together; what cannot be read goes to `problems`. May be asked for again.
   *
   * @throws UnreadableFileError when the source cannot be read at all
   */
  spans(problems: Problems): AsyncIterable<readonly SpanFacts[]>;
}
