/** Names, each with what is counted of it: so many names at most, whatever comes in. */
export class Tally<T extends { readonly total: number }> {
  readonly #max: number;
  readonly #entries = new Map<string, T>();
  /** What was counted of names that are no longer held. */
  otherCount = 0;

  /** @param max - names held; above it the rarer half is let go, so that a common name that comes late still finds room */
  constructor(max: number) {
    this.#max = max;
  }

  /** The entry of `key`; made by `make` when it is new. */
  entry(key: string, make: () => T): T {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= this.#max) this.#letGo();
    const entry = make();
    this.#entries.set(key, entry);
    return entry;
  }

  /** Whether every name is held, so that each count is exact. */
  get isExact(): boolean {
    return this.otherCount === 0;
  }

  /** The commonest first; equals in the order in which they came. */
  sorted(): readonly T[] {
    return [...this.#entries.values()].sort((one, other) => other.total - one.total);
  }

  #letGo(): void {
    const rare = [...this.#entries].sort(([, one], [, other]) => other.total - one.total).slice(this.#max >> 1);
    for (const [key, { total }] of rare) {
      this.#entries.delete(key);
      this.otherCount += total;
    }
  }
}
