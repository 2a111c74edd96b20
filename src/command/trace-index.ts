import { readFailureKind } from '../records/kinds.ts';
import type { Problems } from './problems.ts';
import type { Sighting, SpanFacts, TraceSource } from './traces.ts';
import type { TraceLookup } from './tree.ts';

/** One trace, and the rollouts whose spans are in it. */
export interface Trace {
  readonly id: string;
  readonly rolloutIds: readonly string[];
  /** Whether an event was seen in it. */
  readonly failed: boolean;
}

/** A way in which an event was seen; equal ones are kept once. */
export interface DistinctSighting {
  readonly trace: Trace;
  /** The rollout that the span itself names. */
  readonly rolloutId: string | undefined;
  /** As the reading rule has it; `undefined` when absent or not of a kind's form. */
  readonly kind: string | undefined;
  readonly boundary: string | undefined;
  readonly stage: string | undefined;
  readonly causeId: string | undefined;
}

/** An event id in the traces. */
export interface TracedEvent {
  readonly id: string;
  readonly sightings: readonly DistinctSighting[];
  /** Set when a row has it too. */
  inRows: boolean;
}

interface OpenTrace extends Trace {
  rolloutIds: readonly string[];
  failed: boolean;
}

const NONE: readonly never[] = [];

/** The ids and small facts of all traces; spans themselves are not kept. */
export class TraceIndex implements TraceLookup {
  readonly #traces = new Map<string, OpenTrace>();
  readonly #events = new Map<string, TracedEvent & { sightings: readonly DistinctSighting[] }>();
  readonly #tracesOfRollout = new Map<string, readonly Trace[]>();
  /** Kinds, boundaries and stages are few: each is held once. */
  readonly #words = new Map<string, string>();
  /** Spans read. */
  spanCount = 0;

  /**
   * Reads every span of `sources`.
   *
   * @throws UnreadableFileError when a source cannot be read at all
   */
  static async of(sources: readonly TraceSource[], problems: Problems): Promise<TraceIndex> {
    const index = new TraceIndex();
    for (const source of sources) {
      for await (const spans of source.spans(problems)) for (const span of spans) index.add(span);
    }
    return index;
  }

  /** The events by id, in the order in which they were met. */
  get events(): ReadonlyMap<string, TracedEvent> {
    return this.#events;
  }

  get traceCount(): number {
    return this.#traces.size;
  }

  tracesOfRollout(rolloutId: string): readonly Trace[] {
    return this.#tracesOfRollout.get(rolloutId) ?? NONE;
  }

  traceOfRollout(rolloutId: string): string | undefined {
    return this.tracesOfRollout(rolloutId)[0]?.id;
  }

  traceOfEvent(eventId: string): string | undefined {
    return this.#events.get(eventId)?.sightings[0]?.trace.id;
  }

  add(span: SpanFacts): void {
    this.spanCount += 1;
    let trace = this.#traces.get(span.traceId);
    if (trace === undefined) {
      trace = { id: span.traceId, rolloutIds: NONE, failed: false };
      this.#traces.set(trace.id, trace);
    }
    if (span.rolloutId !== undefined && !trace.rolloutIds.includes(span.rolloutId)) {
      trace.rolloutIds = [...trace.rolloutIds, span.rolloutId];
      this.#tracesOfRollout.set(span.rolloutId, [...this.tracesOfRollout(span.rolloutId), trace]);
    }
    for (const sighting of span.sightings) this.#addSighting(sighting, trace, span.rolloutId);
  }

  #addSighting(sighting: Sighting, trace: OpenTrace, rolloutId: string | undefined): void {
    trace.failed = true;
    const found: DistinctSighting = {
      trace,
      rolloutId: rolloutId && trace.rolloutIds.find((id) => id === rolloutId),
      kind: this.#word(sighting.kind && (readFailureKind(sighting.kind) ?? sighting.kind)),
      boundary: this.#word(sighting.boundary),
      stage: this.#word(sighting.stage),
      causeId: sighting.causeId,
    };
    const event = this.#events.get(sighting.eventId);
    if (event === undefined) {
      this.#events.set(sighting.eventId, { id: sighting.eventId, sightings: [found], inRows: false });
    } else if (!event.sightings.some((other) => isSame(other, found))) {
      event.sightings = [...event.sightings, found];
    }
  }

  #word(word: string | undefined): string | undefined {
    if (word === undefined) return undefined;
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    this.#words.set(word, word);
    return word;
  }
}

function isSame(one: DistinctSighting, other: DistinctSighting): boolean {
  return (
    one.trace === other.trace &&
    one.rolloutId === other.rolloutId &&
    one.kind === other.kind &&
    one.boundary === other.boundary &&
    one.stage === other.stage &&
    one.causeId === other.causeId
  );
}
