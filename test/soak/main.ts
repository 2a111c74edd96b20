/**
 * The requests of a soak: `main.ts --requests N`. A server with an SDK serves N of them and one without an SDK a quarter
 * as many. Prints one table and what is off; exit code 1 when something is.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { Played } from './client.ts';
import { ask } from './messages.ts';
import type { Measures, Remains } from './server.ts';

const { values } = parseArgs({ options: { requests: { type: 'string', default: '200000' } } });
const requests = Number(values.requests);
if (!Number.isSafeInteger(requests) || requests < 200) {
  console.error(`--requests is "${values.requests}": give an integer of at least 200`);
  process.exit(2);
}

const TENTHS = 10;
const MEGABYTE = 1e6;
/** What a server may grow after its first tenth: 3 MB in a full run, less where fewer requests could add to it. */
const growthLimit = (count: number): number => Math.min(3 * MEGABYTE, MEGABYTE + 10 * count);
/** Wider than a busy machine needs, and narrow enough for something quadratic. */
const DELAY_LIMIT_MS = 500;
/** A collection may miss an object that the last turn still refers to. */
const ALIVE_LIMIT = 8;
/** The code is compiled and its caches are filled before anything is measured. */
const WARM_UP = Math.min(2_000, Math.round(requests / 2));

interface Result {
  readonly name: string;
  /** Those of the ten tenths. */
  readonly requests: number;
  readonly seconds: number;
  readonly played: Played;
  readonly measures: readonly Measures[];
  readonly remains: Remains;
}

function start(program: string, ...args: string[]): ChildProcess {
  const file = new URL(program, import.meta.url);
  return fork(file, args, {
    execArgv: ['--expose-gc', '--disable-warning=DEP0205', '--import', 'tsx'],
    env: { ...process.env, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' },
  });
}

async function soak(variant: 'sdk' | 'no-sdk', count: number): Promise<Result> {
  const started = performance.now();
  const server = start('server.ts', variant);
  const client = start('client.ts');
  // Whatever hangs ends here.
  const deadline = setTimeout(
    () => {
      console.error(`soak: the run took too long`);
      for (const child of [client, server]) child.kill('SIGKILL');
    },
    60_000 + count * 10,
  );
  try {
    const upstream = await ask<number>(client, 'listen');
    const port = await ask<number>(server, 'listen', upstream);
    let from = WARM_UP;
    let played = await ask<Played>(client, 'play', { server: port, from: 0, to: from });
    const measures: Measures[] = [];
    for (let tenth = 1; tenth <= TENTHS; tenth += 1) {
      const to = WARM_UP + Math.round((count * tenth) / TENTHS);
      played = await ask<Played>(client, 'play', { server: port, from, to });
      measures.push(await ask<Measures>(server, 'measure'));
      process.stderr.write(`\r${variant}: ${to - WARM_UP} of ${count} requests${tenth === TENTHS ? '\n' : ''}`);
      from = to;
    }
    await ask(client, 'end');
    const remains = await ask<Remains>(server, 'end');
    return { name: variant, requests: count, seconds: (performance.now() - started) / 1000, played, measures, remains };
  } finally {
    clearTimeout(deadline);
    for (const child of [client, server]) child.kill();
  }
}

const growth = (measures: readonly Measures[], of: 'heap' | 'buffers'): number =>
  Math.max(...measures.map((one) => one[of])) - (measures[0]?.[of] ?? 0);

/** What is off in a run, in words. */
function faults({ name, requests, played, measures, remains }: Result): string[] {
  const off: string[] = [];
  const none = (count: number, what: string): void => {
    if (count !== 0) off.push(`${name}: ${count} ${what}`);
  };
  const { tally } = played;
  const last = measures.at(-1);
  none(tally.lost, 'ids lost');
  none(tally.astray, "ids in another request's reply");
  none(tally.wrongOmitted, 'replies that say omitted wrongly, or wrongly do not');
  none(played.odd, 'requests that went another way');
  none(last?.counts.open ?? 0, 'requests still open');
  none(last?.counts.throws ?? 0, 'routes that threw');
  none(last?.complaints.length ?? 0, 'complaints');
  for (const of of ['heap', 'buffers'] as const) {
    const bytes = growth(measures, of);
    if (bytes > growthLimit(requests)) off.push(`${name}: ${of} grew by ${megabytes(bytes)} MB`);
  }
  const p99 = Math.max(...measures.map(({ delay }) => delay.p99));
  if (p99 > DELAY_LIMIT_MS) off.push(`${name}: event-loop delay of ${p99.toFixed(0)} ms (p99)`);
  none(remains.resources.length, `resources left: ${remains.resources}`);
  none(remains.subscribed.length, `channels with subscribers left: ${remains.subscribed}`);
  for (const [what, count] of Object.entries(remains.listeners)) {
    const first = measures[0]?.listeners[what] ?? 0;
    if (count > first) off.push(`${name}: listeners of ${what} grew from ${first} to ${count}`);
  }
  for (const [what, count] of Object.entries(remains.alive)) {
    if (count > ALIVE_LIMIT) off.push(`${name}: ${count} ${what} still alive`);
  }
  if (played.aborted === 0 || tally.delivered === 0 || tally.omitted === 0) off.push(`${name}: nothing was tried`);
  return off;
}

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(2);

function rows({ seconds, played, measures, remains }: Result): [string, string][] {
  const last = measures.at(-1);
  const { tally } = played;
  const worst = (of: 'p50' | 'p99' | 'max'): string => Math.max(...measures.map(({ delay }) => delay[of])).toFixed(1);
  return [
    [`requests, ${WARM_UP} to warm up among them`, String(played.requests)],
    ['seconds', seconds.toFixed(0)],
    ['given up by the client', String(played.aborted)],
    ['streams', String(played.streams)],
    ['streams cut by the server', String(played.cut)],
    ['failing with a chain', String(played.failing)],
    ['replies read to the end', String(tally.whole)],
    ['failures raised', String(last?.counts.raised)],
    ['ids forwarded from upstream', String(last?.counts.forwarded)],
    ['ids delivered', String(tally.delivered)],
    ['ids flagged omitted', String(tally.omitted)],
    ['ids lost', String(tally.lost)],
    ['ids astray', String(tally.astray)],
    ['omitted wrongly', String(tally.wrongOmitted)],
    ['went another way', String(played.odd)],
    ['spans (their events)', `${last?.spans} (${last?.spanEvents})`],
    ['heap at 10 % … 100 %, MB', measures.map(({ heap }) => (heap / MEGABYTE).toFixed(1)).join(' ')],
    ['heap growth after 10 %, MB', megabytes(growth(measures, 'heap'))],
    ['buffers growth after 10 %, MB', megabytes(growth(measures, 'buffers'))],
    ['event-loop delay, ms', `p50 ${worst('p50')}, p99 ${worst('p99')}, max ${worst('max')}`],
    ['resources left', String(remains.resources.length)],
    ['channels left', String(remains.subscribed.length)],
    ['logs, requests, replies alive', Object.values(remains.alive).join(', ')],
    ['complaints', String(last?.complaints.length)],
  ];
}

const results = [await soak('sdk', requests), await soak('no-sdk', Math.max(200, Math.round(requests / 4)))];
const tables = results.map(rows);
console.log(`| | ${results.map(({ name }) => (name === 'sdk' ? 'NodeSDK' : 'no SDK')).join(' | ')} |`);
console.log(`| --- |${results.map(() => ' --- |').join('')}`);
for (const [index, [what]] of (tables[0] ?? []).entries()) {
  console.log(`| ${what} | ${tables.map((table) => table[index]?.[1]).join(' | ')} |`);
}
for (const { name, played, measures } of results) {
  for (const line of [...played.examples, ...(measures.at(-1)?.complaints ?? [])]) console.log(`${name}: ${line}`);
}
const off = results.flatMap(faults);
for (const line of off) console.log(`soak: ${line}`);
process.exitCode = off.length === 0 ? 0 : 1;
