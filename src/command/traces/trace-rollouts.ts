const NONE: readonly never[] = [];

/** Which rollouts the spans of each trace name; traces are numbers here. Nearly every trace names one. */
export class TraceRollouts {
  readonly #first: (string | undefined)[] = [];
  /** All rollouts of a trace that names several, each with its place: a collector may put a whole run into one. */
  readonly #all = new Map<number, Map<string, number>>();
  readonly #lists = new Map<number, string[]>();
  #table: Map<string, number | number[]> | undefined;

  /** Notes that a span of the trace names the rollout; gives back its place among the trace's, counted from 1. */
  add(trace: number, rolloutId: string): number {
    while (this.#first.length <= trace) this.#first.push(undefined);
    const isNew = this.#first[trace] === undefined;
    this.#first[trace] ??= rolloutId;
    const first = this.#first[trace];
    if (first === rolloutId) {
      if (isNew) this.#enter(trace, rolloutId);
      return 1;
    }
    const list = this.#lists.get(trace) ?? [first];
    const all = this.#all.get(trace) ?? new Map([[first, 1]]);
    const known = all.get(rolloutId);
    if (known !== undefined) return known;
    list.push(rolloutId);
    this.#lists.set(trace, list);
    this.#all.set(trace, all.set(rolloutId, list.length));
    this.#enter(trace, rolloutId);
    return list.length;
  }

  /** The trace's rollouts. */
  of(trace: number): readonly string[] {
    const first = this.#first[trace];
    return first === undefined ? NONE : (this.#lists.get(trace) ?? [first]);
  }

  has(trace: number, rolloutId: string): boolean {
    return this.#first[trace] === rolloutId || this.#all.get(trace)?.has(rolloutId) === true;
  }

  /** The rollout at a place that {@link add} gave. */
  at(trace: number, place: number): string | undefined {
    return place === 1 ? this.#first[trace] : this.#lists.get(trace)?.[place - 1];
  }

  /** The first traces that name the rollout. The first call makes a table. */
  tracesOf(rolloutId: string, most: number): readonly number[] {
    this.#table ??= this.#tableOfRollouts();
    const traces = this.#table.get(rolloutId) ?? NONE;
    return typeof traces === 'number' ? [traces] : traces.slice(0, most);
  }

  #tableOfRollouts(): Map<string, number | number[]> {
    this.#table = new Map();
    for (let trace = 0; trace < this.#first.length; trace += 1) {
      for (const id of this.of(trace)) this.#enter(trace, id);
    }
    return this.#table;
  }

  /** Keeps the table, once there is one, true. */
  #enter(trace: number, rolloutId: string): void {
    const known = this.#table?.get(rolloutId);
    if (Array.isArray(known)) known.push(trace);
    else this.#table?.set(rolloutId, known === undefined ? trace : [known, trace]);
  }
}
