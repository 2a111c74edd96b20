import { readFailureKind } from '../../records/kinds.ts';
import type { Problems } from '../problems.ts';
import type { TraceLookup } from '../show/tree.ts';
import { IdTable } from './id-table.ts';
import { TraceRollouts } from './trace-rollouts.ts';
import type { Sighting, SpanFacts, TraceSource } from './traces.ts';

/** A way in which an event was seen; equal ones are kept once. */
export interface DistinctSighting {
  readonly traceId: string;
  /** The rollout that the span itself names. */
  readonly rolloutId: string | undefined;
  /** As the reading rule has it; `undefined` when absent. */
  readonly kind: string | undefined;
  readonly boundary: string | undefined;
  readonly stage: string | undefined;
  readonly causeId: string | undefined;
}

/** Columns of an event's first sighting; 0 stands for absent, numbers count from 1. */
const TRACE = 0;
const KIND = 1;
const BOUNDARY = 2;
const STAGE = 3;
const CAUSE = 4;
/** Place of the rollout that the span names among those of its trace. */
const ROLLOUT = 5;
/** 1 when a row has the event too. */
const MATCHED = 6;
const COLUMNS = 7;

/** Ways in which one event was seen that are kept; all are equal nearly always, and what differs is a finding. */
const MAX_SIGHTINGS = 20;
const NONE: readonly never[] = [];

/**
 * The ids and small facts of all traces, as numbers; spans themselves are not kept. All sightings of an event are
 * nearly always equal, so the first one is a row of numbers, and only those that differ are objects.
 */
export class TraceIndex implements TraceLookup {
  readonly #traceIds = new IdTable();
  readonly #rollouts = new TraceRollouts();
  readonly #failedTraces = new Set<number>();
  /** Ids of events and of their causes. */
  readonly #eventIds = new IdTable();
  #first = new Int32Array(COLUMNS * 1024);
  /** Each under its columns. */
  readonly #others = new Map<number, Map<string, DistinctSighting>>();
  readonly #words: string[] = [''];
  readonly #numberOfWord = new Map<string, number>();
  /** Traces that files have, and no backend alone; their numbers come first. */
  #ownTraces = 0;
  /** Spans read. */
  spanCount = 0;
  /** Distinct event ids. */
  eventCount = 0;
  /** Distinct event ids that {@link match} was told of. */
  matchedCount = 0;

  /**
   * Reads every span of `sources`.
   *
   * @throws UnreadableFileError when a source cannot be read at all
   */
  static async of(sources: readonly TraceSource[], problems: Problems): Promise<TraceIndex> {
    const index = new TraceIndex();
    const files = sources.filter(({ backend }) => backend === undefined);
    for (const source of files) await index.#read(source, problems);
    index.#ownTraces = index.traceCount;
    for (const source of sources) if (source.backend !== undefined) await index.#read(source, problems);
    return index;
  }

  async #read(source: TraceSource, problems: Problems): Promise<void> {
    for await (const spans of source.spans(problems)) for (const span of spans) this.add(span);
  }

  get traceCount(): number {
    return this.#traceIds.size;
  }

  /** Whether a file has spans of the trace: then it is this run's, whatever rollouts it names. */
  isOwn(traceId: string): boolean {
    const trace = this.#traceIds.find(traceId);
    return trace !== -1 && trace < this.#ownTraces;
  }

  /** Tells of a trace whether it has an event that was matched until now. */
  tracesWithMatch(): (traceId: string) => boolean {
    const traces = new Set<number>();
    for (let event = 0; event < this.#eventIds.size; event += 1) {
      if (this.#at(event, MATCHED) !== 0) traces.add(this.#at(event, TRACE) - 1);
    }
    return (traceId) => traces.has(this.#traceIds.find(traceId));
  }

  /** The ids that were not matched. */
  *unmatchedIds(): Generator<string> {
    for (let event = 0; event < this.#eventIds.size; event += 1) {
      if (this.#at(event, TRACE) !== 0 && this.#at(event, MATCHED) === 0) yield this.#eventIds.idOf(event);
    }
  }

  /** Notes that a row has the event, which the traces have. */
  match(eventId: string): void {
    const event = this.#eventIds.find(eventId);
    if (this.#at(event, MATCHED) !== 0) return;
    this.#first[event * COLUMNS + MATCHED] = 1;
    this.matchedCount += 1;
  }

  /** Whether the traces have the event. */
  has(eventId: string): boolean {
    return this.#at(this.#eventIds.find(eventId), TRACE) !== 0;
  }

  /** How the event was seen; empty when the traces do not have it. */
  sightings(eventId: string): readonly DistinctSighting[] {
    const event = this.#eventIds.find(eventId);
    if (event === -1 || this.#at(event, TRACE) === 0) return NONE;
    return [this.#sighting((column) => this.#at(event, column)), ...(this.#others.get(event)?.values() ?? NONE)];
  }

  traceOfEvent(eventId: string): string | undefined {
    return this.sightings(eventId)[0]?.traceId;
  }

  traceOfRollout(rolloutId: string): string | undefined {
    return this.tracesOfRollout(rolloutId, 1)[0];
  }

  /** Traces in which a span names the rollout, so many at most. The first call makes a table. */
  tracesOfRollout(rolloutId: string, most: number): readonly string[] {
    return this.#rollouts.tracesOf(rolloutId, most).map((trace) => this.#traceIds.idOf(trace));
  }

  /** Whether a span of the trace names the rollout. */
  names(traceId: string, rolloutId: string): boolean {
    return this.#rollouts.has(this.#traceIds.find(traceId), rolloutId);
  }

  /** The rollouts that spans of the trace name. */
  rolloutsOfTrace(traceId: string): readonly string[] {
    return this.#rollouts.of(this.#traceIds.find(traceId));
  }

  /** The rollouts of traces in which an event was seen. */
  *failedRollouts(): Generator<string> {
    for (const trace of this.#failedTraces) yield* this.#rollouts.of(trace);
  }

  /** Adds traces that were looked up; of one that is there already, only what is new counts. Gives back how many are new. */
  addFound(spans: readonly SpanFacts[]): number {
    const before = this.traceCount;
    let known = 0;
    for (const span of spans) {
      const trace = this.#traceIds.find(span.traceId);
      if (trace !== -1 && trace < before) known += 1;
      this.add(span);
    }
    this.spanCount -= known;
    return this.traceCount - before;
  }

  add({ traceId, rolloutId, sightings }: SpanFacts): void {
    this.spanCount += 1;
    const trace = this.#traceIds.add(traceId);
    const rollout = rolloutId === undefined ? 0 : this.#rollouts.add(trace, rolloutId);
    for (const sighting of sightings) this.#addSighting(sighting, trace, rollout);
  }

  #addSighting(sighting: Sighting, trace: number, rollout: number): void {
    this.#failedTraces.add(trace);
    const event = this.#eventIds.add(sighting.eventId);
    const kind = sighting.kind && (readFailureKind(sighting.kind) ?? sighting.kind);
    const facts = [
      trace + 1,
      this.#word(kind),
      this.#word(sighting.boundary),
      this.#word(sighting.stage),
      sighting.causeId === undefined ? 0 : this.#eventIds.add(sighting.causeId) + 1,
      rollout,
    ];
    if (this.#at(event, TRACE) === 0) {
      this.eventCount += 1;
      this.#setFirst(event, facts);
    } else if (facts.some((fact, column) => fact !== this.#at(event, column))) {
      this.#addOther(event, facts);
    }
  }

  #addOther(event: number, facts: readonly number[]): void {
    const others = this.#others.get(event) ?? new Map<string, DistinctSighting>();
    const key = facts.join(' ');
    if (others.has(key) || others.size >= MAX_SIGHTINGS - 1) return;
    this.#others.set(
      event,
      others.set(
        key,
        this.#sighting((column) => facts[column] ?? 0),
      ),
    );
  }

  #sighting(at: (column: number) => number): DistinctSighting {
    const trace = at(TRACE) - 1;
    return {
      traceId: this.#traceIds.idOf(trace),
      rolloutId: this.#rollouts.at(trace, at(ROLLOUT)),
      kind: this.#words[at(KIND)] || undefined,
      boundary: this.#words[at(BOUNDARY)] || undefined,
      stage: this.#words[at(STAGE)] || undefined,
      causeId: at(CAUSE) === 0 ? undefined : this.#eventIds.idOf(at(CAUSE) - 1),
    };
  }

  #setFirst(event: number, facts: readonly number[]): void {
    const start = event * COLUMNS;
    if (start + COLUMNS > this.#first.length) {
      const larger = new Int32Array((start + COLUMNS) * 2);
      larger.set(this.#first);
      this.#first = larger;
    }
    this.#first.set(facts, start);
  }

  #at(event: number, column: number): number {
    return this.#first[event * COLUMNS + column] ?? 0;
  }

  /** Kinds, boundaries and stages are few. */
  #word(word: string | undefined): number {
    if (word === undefined) return 0;
    const known = this.#numberOfWord.get(word) ?? this.#words.length;
    if (known === this.#words.length) {
      this.#words.push(word);
      this.#numberOfWord.set(word, known);
    }
    return known;
  }
}
