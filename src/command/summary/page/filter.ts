import type { ChainLink, Outcomes } from './data.ts';
import { el } from './dom.ts';

/** What came of an event, and how the page calls it. */
export const OUTCOMES = [
  ['fatal', 'fatal'],
  ['alsoObserved', 'also observed'],
  ['recovered', 'recovered'],
] as const;

/** What is wanted of the tables and of the chart. */
export interface Filter {
  /** Words; each must be somewhere in the names. */
  readonly words: readonly string[];
  /** Empty: any. */
  readonly boundary: string;
  readonly outcome: keyof Outcomes;
}

/** The fields that set the filter. */
export function filterForm(boundaries: readonly string[], onChange: (filter: Filter) => void): HTMLElement {
  const words = el('input', { type: 'search', id: 'words', placeholder: 'timeout verification', autocomplete: 'off' });
  const boundary = el('select', { id: 'boundary' }, option('', 'any'), ...boundaries.map((name) => option(name, name)));
  const outcomes = OUTCOMES.map(([value, name]) => option(value, name));
  const outcome = el('select', { id: 'outcome' }, option('total', 'any'), ...outcomes);
  const reset = el('button', { type: 'reset' }, 'Show all');
  const form = el(
    'form',
    { role: 'search', 'aria-label': 'Filter' },
    el('label', {}, 'Names with', words),
    el('label', {}, 'Boundary', boundary),
    el('label', {}, 'Outcome', outcome),
    reset,
  );
  const tell = (): void => {
    const wanted = [...OUTCOMES.map(([value]) => value)].find((value) => value === outcome.value);
    const given = words.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    onChange({ words: given, boundary: boundary.value, outcome: wanted ?? 'total' });
  };
  form.addEventListener('input', tell);
  form.addEventListener('submit', (event) => event.preventDefault());
  // The fields have their first values only after the event.
  form.addEventListener('reset', () => setTimeout(tell));
  return form;
}

/** Whether events with these names, and their counts, are wanted. */
export function isWanted(filter: Filter, names: readonly Named[], outcomes: Outcomes): boolean {
  if (outcomes[filter.outcome] === 0) return false;
  if (filter.boundary !== '' && !names.some(({ boundary }) => boundary === filter.boundary)) return false;
  const text = names
    .map(({ boundary, kind, stage = '' }) => `${boundary}/${kind} ${stage}`)
    .join(' ')
    .toLowerCase();
  return filter.words.every((word) => text.includes(word));
}

type Named = Pick<ChainLink, 'boundary' | 'kind' | 'stage'>;

function option(value: string, name: string): HTMLOptionElement {
  return el('option', { value }, name);
}
