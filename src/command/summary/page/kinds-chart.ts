import { BarController, BarElement, CategoryScale, Chart, Legend, LinearScale, Tooltip } from 'chart.js';
import type { KindCount, Outcomes } from './data.ts';
import { el } from './dom.ts';

Chart.register(BarController, BarElement, CategoryScale, LinearScale, Legend, Tooltip);
Chart.defaults.font.size = 14;

const MAX_BARS = 20;
const BAR_PX = 30;
const FRAME_PX = 110;
const NAME_MAX_CHARS = 40;
/** Okabe and Ito's colours, which stay apart for every kind of colour blindness. */
const COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00'];

/** Kinds as bars, in which boundaries have their parts. */
export class KindsChart {
  readonly element: HTMLElement;
  readonly #box = el('div', { class: 'chart' });
  readonly #canvas = el('canvas', { id: 'chart', role: 'img' });
  readonly #boundaries: readonly string[];
  readonly #chart: Chart<'bar', number[], string>;

  constructor(boundaries: readonly string[]) {
    this.#boundaries = boundaries;
    this.#box.append(this.#canvas);
    this.element = el('figure', {}, this.#box);
    this.#chart = new Chart(this.#canvas, {
      type: 'bar',
      data: { labels: [], datasets: [] },
      options: {
        indexAxis: 'y',
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        interaction: { mode: 'index', axis: 'y', intersect: false },
        scales: { x: { stacked: true, ticks: { precision: 0 } }, y: { stacked: true, ticks: { autoSkip: false } } },
        plugins: { tooltip: { filter: ({ parsed }) => (parsed.x ?? 0) > 0 } },
      },
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#paint());
    // Paper is light, and has another width.
    for (const event of ['beforeprint', 'afterprint']) {
      window.addEventListener(event, () => {
        this.#paint();
        this.#chart.resize();
      });
    }
  }

  show(kinds: readonly KindCount[], outcome: keyof Outcomes): void {
    const bars = barsOf(kinds, outcome);
    this.#box.style.height = `${bars.length * BAR_PX + FRAME_PX}px`;
    this.#chart.data = {
      labels: bars.map(({ name }) => (name.length > NAME_MAX_CHARS ? `${name.slice(0, NAME_MAX_CHARS - 1)}…` : name)),
      datasets: this.#boundaries
        .map((label, place) => ({
          label,
          data: bars.map(({ parts }) => parts.get(label) ?? 0),
          backgroundColor: COLOURS[place % COLOURS.length] ?? '',
          borderWidth: 1,
        }))
        .filter(({ data }) => data.some((value) => value > 0)),
    };
    const said = bars.map(({ name, total }) => `${name} ${total}`).join(', ');
    this.#canvas.setAttribute('aria-label', `Bars of the commonest kinds; the table below has all numbers: ${said}`);
    this.#paint();
    this.#chart.resize();
  }

  /** Takes text and lines from the page's own colours. */
  #paint(): void {
    const style = getComputedStyle(document.documentElement);
    const [ink, line, paper] = ['--ink', '--line', '--paper'].map((name) => style.getPropertyValue(name).trim());
    if (ink === undefined || line === undefined || paper === undefined) return;
    this.#chart.options.color = ink;
    for (const scale of Object.values(this.#chart.options.scales ?? {})) {
      if (scale === undefined) continue;
      scale.ticks = { ...scale.ticks, color: ink };
      scale.grid = { ...scale.grid, color: line };
    }
    for (const dataset of this.#chart.data.datasets) dataset.borderColor = paper;
    this.#chart.update('none');
  }
}

interface Bar {
  readonly name: string;
  readonly parts: Map<string, number>;
  total: number;
}

/** A bar a kind, the longest first; what has no room for one of its own is the last. */
function barsOf(kinds: readonly KindCount[], outcome: keyof Outcomes): readonly Bar[] {
  const bars = new Map<string, Bar>();
  for (const kind of kinds) addTo(bars, kind.kind, kind.boundary, kind[outcome]);
  const sorted = [...bars.values()].sort((one, other) => other.total - one.total);
  if (sorted.length <= MAX_BARS) return sorted;
  const rest = new Map<string, Bar>();
  const others = sorted.slice(MAX_BARS - 1);
  const name = `${others.length} other kinds`;
  for (const { parts } of others) for (const [boundary, value] of parts) addTo(rest, name, boundary, value);
  return [...sorted.slice(0, MAX_BARS - 1), ...rest.values()];
}

function addTo(bars: Map<string, Bar>, name: string, boundary: string, value: number): void {
  const bar = bars.get(name) ?? { name, parts: new Map(), total: 0 };
  bar.parts.set(boundary, (bar.parts.get(boundary) ?? 0) + value);
  bar.total += value;
  bars.set(name, bar);
}
