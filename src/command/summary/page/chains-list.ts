import type { Chain, ChainLink, Example } from './data.ts';
import { count, el, linked } from './dom.ts';
import { OUTCOMES } from './filter.ts';

/** A chain that unfolds: its events, the outermost first, and rows that have it. */
export function chainElement(chain: Chain): HTMLElement {
  const name = chain.links.map(({ boundary, kind, more }) => `${boundary}/${kind}${more === true ? ' ← …' : ''}`);
  const parts = OUTCOMES.filter(([outcome]) => chain[outcome] > 0).map(([outcome, label]) =>
    el('span', { class: outcome }, `${count(chain[outcome])} ${label}`),
  );
  const badges = parts.flatMap((part, place) => (place === 0 ? [part] : [', ', part]));
  return el(
    'details',
    {},
    el(
      'summary',
      {},
      el('b', {}, `${count(chain.total)} ×`),
      ' ',
      name.join(' ← '),
      ' ',
      el('span', { class: 'faint' }, '('),
      ...badges,
      el('span', { class: 'faint' }, ')'),
    ),
    el('ol', {}, ...chain.links.map(eventElement)),
    el('p', { class: 'faint' }, chain.examples.length === 1 ? 'A row with it:' : 'Rows with it:'),
    el('ul', {}, ...chain.examples.map(exampleElement)),
  );
}

function eventElement(event: ChainLink, place: number): HTMLElement {
  const { boundary, kind, stage, operation, httpStatus, reason, foreignError, eventId, url, more } = event;
  const facts = [
    stage === undefined ? undefined : `stage ${stage}`,
    operation === undefined ? undefined : `operation ${operation}`,
    httpStatus === undefined ? undefined : `HTTP ${httpStatus}`,
  ].filter((fact) => fact !== undefined);
  return el(
    'li',
    {},
    place === 0 ? '' : el('span', { class: 'faint' }, 'caused by '),
    el('b', {}, `${boundary}/${kind}`),
    facts.length === 0 ? '' : `, ${facts.join(', ')}`,
    el('p', {}, reason),
    ...(foreignError === undefined ? [] : [el('p', {}, `foreign error ${foreignError}`)]),
    el('p', { class: 'faint' }, 'event ', linked(eventId, url)),
    ...(more === true ? [el('p', { class: 'faint' }, '… further causes are left out here')] : []),
  );
}

function exampleElement({ file, line, rolloutId, url }: Example): HTMLElement {
  const rollout = rolloutId === undefined ? '(no id)' : linked(rolloutId, url);
  return el('li', {}, el('code', {}, `${file}:${line}`), ' rollout ', rollout);
}
