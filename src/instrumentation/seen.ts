import { sharedState } from '../records/shared-state.ts';

/** Stands for what belongs to no request and no span. */
export const ANYWHERE: object = sharedState('anywhere', () => ({}));

/**
 * Remembers which ids were met in a scope (a span, a request's log, a reply), for all copies of the package. Of each
 * scope it keeps the latest ids: those of a retry loop can go on without end.
 */
export class SeenIds {
  readonly #ids: WeakMap<object, Set<string>>;
  readonly #max: number;

  /** @param name - what is remembered, the same in every copy */
  constructor(name: string, max: number) {
    this.#ids = sharedState(name, () => new WeakMap());
    this.#max = max;
  }

  /** Whether `id` is met in `scope` for the first time. */
  isNew(scope: object, id: string): boolean {
    let ids = this.#ids.get(scope);
    if (ids === undefined) {
      ids = new Set();
      this.#ids.set(scope, ids);
    }
    if (ids.has(id)) return false;
    if (ids.size >= this.#max) for (const oldest of ids.values()) if (ids.delete(oldest)) break;
    ids.add(id);
    return true;
  }
}
