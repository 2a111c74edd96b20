import { chainElement } from './chains-list.ts';
import type { PageData } from './data.ts';
import { count, el } from './dom.ts';
import { type Filter, filterForm, isWanted } from './filter.ts';
import { KindsChart } from './kinds-chart.ts';
import { KindsTable } from './kinds-table.ts';
import { countsElement, introElement, jaegerNote, leftOutNotes, WORDS } from './texts.ts';

const data: PageData = JSON.parse(document.getElementById('data')?.textContent ?? '');
const main = document.getElementById('main');
main?.replaceChildren(introElement(data), countsElement(data), ...(data.events.total === 0 ? [nothing()] : body()));

function nothing(): HTMLElement {
  const { rows } = data;
  const whole = rows.failed + rows.omitted === 0;
  const text = whole
    ? `No failures: none of ${count(rows.rows)} rows tells of one.`
    : 'No failure events: what the rows tell of failures is in the numbers above, and no report has an event of it.';
  return el('p', { class: 'empty', id: 'empty' }, text);
}

function body(): HTMLElement[] {
  const chart = new KindsChart(data.boundaries);
  const table = new KindsTable();
  const chains = data.chains.list.map((chain) => ({ chain, element: chainElement(chain) }));
  const chainList = el('div', { id: 'chains' });
  const status = el('p', { class: 'faint', id: 'status', 'aria-live': 'polite' });
  const causes = el('ul', { id: 'first-causes' });
  const show = (filter: Filter): void => {
    const kinds = data.kinds.list.filter((kind) => isWanted(filter, [kind], kind));
    chart.show(kinds, filter.outcome);
    table.show(kinds);
    const wanted = chains.filter(({ chain }) => isWanted(filter, chain.links, chain));
    wanted.sort((one, other) => other.chain[filter.outcome] - one.chain[filter.outcome]);
    chainList.replaceChildren(...wanted.map(({ element }) => element));
    const first = data.firstCauses.list.filter((cause) => isWanted(filter, [cause], cause));
    first.sort((one, other) => other[filter.outcome] - one[filter.outcome]);
    causes.replaceChildren(
      ...first
        .slice(0, 10)
        .map((cause) => el('li', {}, `${count(cause[filter.outcome])} × ${cause.boundary}/${cause.kind}`)),
    );
    const ofKinds = `${count(kinds.length)} of ${count(data.kinds.list.length)} kinds`;
    status.textContent = `Shown: ${ofKinds}, ${count(wanted.length)} of ${count(chains.length)} chains.`;
  };
  const elements = [
    filterForm(data.boundaries, show),
    status,
    section('Kinds', chart.element, table.element, ...leftOutNotes('kinds', data)),
    section('First causes', el('p', { class: 'faint' }, WORDS.firstCauses), causes),
    section(
      'Chains',
      el('p', { class: 'faint' }, WORDS.chains),
      chainList,
      ...leftOutNotes('chains', data),
      ...jaegerNote(data),
    ),
    section('Words', ...WORDS.outcomes.map((text) => el('p', {}, text))),
  ];
  show({ words: [], boundary: '', outcome: 'total' });
  return elements;
}

function section(title: string, ...children: readonly HTMLElement[]): HTMLElement {
  return el('section', {}, el('h2', {}, title), ...children);
}
