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

/** Where spans come from: a file today; a tracing backend is another source. */
export interface TraceSource {
  /** For people, e.g. the file's path. */
  readonly name: string;
  /**
   * The spans, as many at a time as come together; what cannot be read goes to `problems`. May be asked for again.
   *
   * @throws UnreadableFileError when the source cannot be read at all
   */
  spans(problems: Problems): AsyncIterable<readonly SpanFacts[]>;
}
