import type { KindCount } from './data.ts';
import { count, el } from './dom.ts';

const COLUMNS = [
  ['boundary', 'Boundary'],
  ['kind', 'Kind'],
  ['stage', 'Stage'],
  ['fatal', 'Fatal'],
  ['alsoObserved', 'Also observed'],
  ['recovered', 'Recovered'],
  ['total', 'All'],
] as const;

type Column = (typeof COLUMNS)[number][0];
const TEXTS: ReadonlySet<Column> = new Set(['boundary', 'kind', 'stage']);

/** The kinds as a table; its head sorts it. */
export class KindsTable {
  readonly element: HTMLElement;
  readonly #body = el('tbody');
  readonly #heads = new Map<Column, HTMLElement>();
  #kinds: readonly KindCount[] = [];
  #column: Column = 'total';
  #isDescending = true;

  constructor() {
    for (const [column, name] of COLUMNS) {
      const button = el('button', { type: 'button' }, name);
      button.addEventListener('click', () => this.#sortBy(column));
      this.#heads.set(column, el('th', { scope: 'col', class: classOf(column) }, button));
    }
    const head = el('thead', {}, el('tr', {}, ...this.#heads.values()));
    const table = el('table', { id: 'kinds', 'aria-label': 'Failures by boundary, kind and stage' }, head, this.#body);
    this.element = el('div', { class: 'scroll' }, table);
  }

  show(kinds: readonly KindCount[]): void {
    this.#kinds = kinds;
    const way = this.#isDescending ? -1 : 1;
    const sorted = [...kinds].sort((one, other) => way * compared(one[this.#column], other[this.#column]));
    for (const [column, head] of this.#heads) {
      const sort = column !== this.#column ? 'none' : this.#isDescending ? 'descending' : 'ascending';
      head.setAttribute('aria-sort', sort);
    }
    this.#body.replaceChildren(...sorted.map(rowOf));
  }

  /** Names from a to z first, numbers from the largest; the second time the other way round. */
  #sortBy(column: Column): void {
    this.#isDescending = column === this.#column ? !this.#isDescending : !TEXTS.has(column);
    this.#column = column;
    this.show(this.#kinds);
  }
}

function rowOf(kind: KindCount): HTMLElement {
  const cells = COLUMNS.map(([column]) => {
    const value = kind[column];
    const text = typeof value === 'number' ? count(value) : value === '' ? '–' : value;
    return el('td', { class: classOf(column) }, text);
  });
  return el('tr', {}, ...cells);
}

function classOf(column: Column): string | undefined {
  return TEXTS.has(column) ? undefined : 'number';
}

function compared(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return one === other ? 0 : one < other ? -1 : 1;
}
