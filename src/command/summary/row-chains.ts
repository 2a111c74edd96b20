import type { FailureEvent } from '../../records/failure-event.ts';
import { factsOf, type SavedRow } from '../rows/rows.ts';

/** What came of an event, in the words of `show`; its `observed` is `alsoObserved` here. */
export type Outcome = 'fatal' | 'alsoObserved' | 'recovered';

/** A chain of causes. */
export interface RowChain {
  readonly outcome: Outcome;
  /** The outermost first, the first cause last; of a long chain the middle is missing. */
  readonly links: readonly FailureEvent[];
  /** Whether links are missing before the last one. */
  readonly isCut: boolean;
}

/** Links of a chain that are told apart, the first cause aside. */
const MAX_LINKS = 12;

/** Sorts out a row's events as `show` draws them: the own failure's chain, then what else was observed. */
export class RowChains {
  readonly #events: ReadonlyMap<string, FailureEvent>;
  readonly #own: ReadonlySet<string>;
  readonly #otherwise: Outcome;
  readonly #rootOf = new Map<string, FailureEvent>();

  constructor(row: SavedRow) {
    const { failureId, events } = row.report;
    this.#events = events;
    const own = new Set<string>();
    for (let at = this.#event(failureId); at !== undefined; at = this.#event(at.cause_id)) own.add(at.event_id);
    this.#own = own;
    this.#otherwise = failureId !== undefined || factsOf(row).failure !== undefined ? 'alsoObserved' : 'recovered';
  }

  outcomeOf(event: FailureEvent): Outcome {
    return this.#own.has(event.event_id) ? 'fatal' : this.#otherwise;
  }

  /** One for the own failure, and one for each other event that is nobody's cause outside of the own chain. */
  chains(): readonly RowChain[] {
    const [first] = this.#own;
    const own = this.#event(first);
    const others = [...this.#events.values()].filter(({ event_id: id }) => !this.#own.has(id));
    const causes = new Set(others.map(({ cause_id: id }) => id));
    const heads = others.filter(({ event_id: id }) => !causes.has(id));
    return (own === undefined ? heads : [own, ...heads]).map((head) => this.#chain(head));
  }

  #chain(head: FailureEvent): RowChain {
    const outcome = this.outcomeOf(head);
    const links: FailureEvent[] = [];
    let at: FailureEvent | undefined = head;
    for (; at !== undefined && links.length < MAX_LINKS; at = this.#event(at.cause_id)) links.push(at);
    if (at === undefined) return { outcome, links, isCut: false };
    const isCut = at.cause_id !== undefined;
    return { outcome, links: [...links, this.#root(at)], isCut };
  }

  /** The first cause below an event; each event is passed once, however many chains share it. */
  #root(event: FailureEvent): FailureEvent {
    const passed: string[] = [];
    let root = event;
    for (let at: FailureEvent | undefined = event; at !== undefined; at = this.#event(at.cause_id)) {
      const known = this.#rootOf.get(at.event_id);
      root = known ?? at;
      if (known !== undefined) break;
      passed.push(at.event_id);
    }
    for (const id of passed) this.#rootOf.set(id, root);
    return root;
  }

  #event(id: string | undefined): FailureEvent | undefined {
    return id === undefined ? undefined : this.#events.get(id);
  }
}
