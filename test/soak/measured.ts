/** What the parents of a soak's processes share: starting them, and judging what a server measured of itself. */
import { type ChildProcess, fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { Measures, Remains } from './server.ts';

export const TENTHS = 10;
const MEGABYTE = 1e6;
/** What a server may grow after its first tenth: 3 MB in a full run, less where fewer requests could add to it. */
const growthLimit = (count: number): number => Math.min(3 * MEGABYTE, MEGABYTE + 10 * count);
/** Wider than a busy machine needs, and narrow enough for something quadratic. */
const DELAY_LIMIT_MS = 500;
/** Below it a delay is the machine's, which had others to run: between two turns the server itself did no more than this. */
const WORK_LIMIT_MS = 200;
/** A collection may miss an object that the last turn still refers to. */
const ALIVE_LIMIT = 8;

export type Variant = 'sdk' | 'no-sdk';

/** A server's own word on a run. */
export interface Measured {
  readonly name: Variant;
  /** Those of the ten tenths. */
  readonly requests: number;
  readonly measures: readonly Measures[];
  readonly remains: Remains;
}

/** How many requests a run has, from the command line. */
export function requestCount(byDefault: string): number {
  const { values } = parseArgs({ options: { requests: { type: 'string', default: byDefault } } });
  const count = Number(values.requests);
  if (Number.isSafeInteger(count) && count >= 200) return count;
  console.error(`--requests is "${values.requests}": give an integer of at least 200`);
  process.exit(2);
}

/** The code is compiled and its caches are filled before anything is measured. */
export function warmUpOf(requests: number): number {
  return Math.min(2_000, Math.round(requests / 2));
}

export function start(program: string, ...args: string[]): ChildProcess {
  const file = new URL(program, import.meta.url);
  return fork(file, args, {
    execArgv: ['--expose-gc', '--disable-warning=DEP0205', '--import', 'tsx'],
    env: { ...process.env, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' },
  });
}

const growth = (measures: readonly Measures[], of: 'heap' | 'buffers'): number =>
  Math.max(...measures.map((one) => one[of])) - (measures[0]?.[of] ?? 0);

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(2);

/** What is off in a server, in words. */
export function serverFaults({ name, requests, measures, remains }: Measured): string[] {
  const off: string[] = [];
  const none = (count: number, what: string): void => {
    if (count !== 0) off.push(`${name}: ${count} ${what}`);
  };
  const last = measures.at(-1);
  none(last?.counts.open ?? 0, 'requests still open');
  none(last?.counts.throws ?? 0, 'routes that threw');
  none(last?.complaints.length ?? 0, 'complaints');
  for (const of of ['heap', 'buffers'] as const) {
    const bytes = growth(measures, of);
    if (bytes > growthLimit(requests)) off.push(`${name}: ${of} grew by ${megabytes(bytes)} MB`);
  }
  const slow = measures.find(({ delay, work }) => delay.p99 > DELAY_LIMIT_MS && work.p99 > WORK_LIMIT_MS);
  if (slow !== undefined) {
    const { delay, work } = slow;
    off.push(`${name}: event-loop delay of ${delay.p99.toFixed(0)} ms, ${work.p99.toFixed(0)} ms of work (p99)`);
  }
  none(remains.resources.length, `resources left: ${remains.resources}`);
  none(remains.subscribed.length, `channels with subscribers left: ${remains.subscribed}`);
  for (const [what, count] of Object.entries(remains.listeners)) {
    const first = measures[0]?.listeners[what] ?? 0;
    if (count > first) off.push(`${name}: listeners of ${what} grew from ${first} to ${count}`);
  }
  for (const [what, count] of Object.entries(remains.alive)) {
    if (count > ALIVE_LIMIT) off.push(`${name}: ${count} ${what} still alive`);
  }
  return off;
}

/** The lines of a table about a server. */
export function serverRows({ measures, remains }: Measured): [string, string][] {
  const last = measures.at(-1);
  const worst = (of: 'p50' | 'p99' | 'max'): string => Math.max(...measures.map(({ delay }) => delay[of])).toFixed(1);
  const busiest = (of: 'p99' | 'max'): string => Math.max(...measures.map(({ work }) => work[of])).toFixed(1);
  return [
    ['spans (their events)', `${last?.spans} (${last?.spanEvents})`],
    ['heap at 10 % … 100 %, MB', measures.map(({ heap }) => (heap / MEGABYTE).toFixed(1)).join(' ')],
    ['heap growth after 10 %, MB', megabytes(growth(measures, 'heap'))],
    ['buffers growth after 10 %, MB', megabytes(growth(measures, 'buffers'))],
    ['event-loop delay, ms', `p50 ${worst('p50')}, p99 ${worst('p99')}, max ${worst('max')}`],
    ['CPU between two turns, ms', `p99 ${busiest('p99')}, max ${busiest('max')}`],
    ['resources left', String(remains.resources.length)],
    ['channels left', String(remains.subscribed.length)],
    ['logs, requests, replies alive', Object.values(remains.alive).join(', ')],
    ['complaints', String(last?.complaints.length)],
  ];
}

/** Prints a column for each run. */
export function printTable(names: readonly Variant[], tables: readonly (readonly [string, string][])[]): void {
  console.log(`| | ${names.map((name) => (name === 'sdk' ? 'NodeSDK' : 'no SDK')).join(' | ')} |`);
  console.log(`| --- |${names.map(() => ' --- |').join('')}`);
  for (const [index, [what]] of (tables[0] ?? []).entries()) {
    console.log(`| ${what} | ${tables.map((table) => table[index]?.[1]).join(' | ')} |`);
  }
}
