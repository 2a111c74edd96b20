import type { PageData } from './data.ts';
import { count, el, linked } from './dom.ts';

/** What the page says of its own parts. */
export const WORDS = {
  firstCauses: 'Events that no other event caused: where the chains begin. The commonest ten.',
  chains: 'From the outermost failure to its first cause. Open one to see its events and rows that have it.',
  outcomes: [
    'Fatal: in the chain of a rollout’s own failure.',
    'Also observed: in a rollout that failed, in no part of that chain.',
    'Recovered: in a rollout that has no failure of its own.',
    'Omitted: a report lost evidence on the way, because it was too large or there were too many failures; the traces may have it.',
  ],
} as const;

/** When the page was made and of what. */
export function introElement({ files, madeAt }: PageData): HTMLElement {
  const time = el('time', { datetime: madeAt }, `${madeAt.slice(0, 16).replace('T', ' ')} UTC`);
  return el('p', { class: 'faint' }, 'Made ', time, ` from ${files.join(', ')}`);
}

/** The counts at the top: of rows, and of events. */
export function countsElement({ rows, events, badLines }: PageData): HTMLElement {
  const ofRows = counts('Rows', [
    ['Rows', rows.rows],
    ['Failed', rows.failed],
    ['Recovered', rows.recovered],
    ['Without failures', rows.withoutFailures],
    ['Evidence omitted', rows.omitted],
    ...(badLines > 0 ? [['Lines not readable', badLines] as const] : []),
  ]);
  const ofEvents = counts('Failure events', [
    ['Failure events', events.total],
    ['Fatal', events.fatal],
    ['Also observed', events.alsoObserved],
    ['Recovered', events.recovered],
  ]);
  return el('div', {}, ofRows, ofEvents);
}

/** What a list does not show, and why. */
export function leftOutNotes(list: 'kinds' | 'chains', data: PageData): HTMLElement[] {
  const leftOut = data.leftOut[list];
  const { other } = data[list];
  const noun = list === 'kinds' ? 'events' : 'chains';
  return [
    ...(leftOut > 0
      ? [`${count(leftOut)} more ${list}, rare or large, are left out to keep the page small; --json prints them.`]
      : []),
    ...(other > 0
      ? [`${count(other)} other ${noun} have names that are too many to count each; rare ones above may be too low.`]
      : []),
  ].map((text) => el('p', { class: 'faint' }, text));
}

/** How many ids have a link. */
export function jaegerNote({ jaeger }: PageData): HTMLElement[] {
  if (jaeger === undefined) return [];
  const { base, found, notFound, notAsked } = jaeger;
  const text =
    ` has ${count(found)} of the ids shown here` +
    `${notFound > 0 ? `; ${count(notFound)} it does not have (not sampled, not exported?)` : ''}` +
    `${notAsked > 0 ? `; ${count(notAsked)} were not asked for` : ''}.`;
  return [el('p', { class: 'faint', id: 'jaeger' }, 'Jaeger at ', linked(base, base), text)];
}

function counts(label: string, list: readonly (readonly [string, number])[]): HTMLElement {
  const items = list.map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, count(value))));
  return el('dl', { class: 'counts', 'aria-label': label }, ...items);
}
