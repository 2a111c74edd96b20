/**
 * The requests of a soak: `main.ts --requests N`. A server with an SDK serves N of them and one without an SDK a quarter
 * as many. Prints one table and what is off; exit code 1 when something is.
 */
import type { Played } from './client.ts';
import {
  type Measured,
  printTable,
  requestCount,
  serverFaults,
  serverRows,
  start,
  TENTHS,
  type Variant,
  warmUpOf,
} from './measured.ts';
import { ask } from './messages.ts';
import type { Measures, Remains } from './server.ts';

const requests = requestCount('200000');
const WARM_UP = warmUpOf(requests);

interface Result extends Measured {
  readonly seconds: number;
  readonly played: Played;
}

async function soak(variant: Variant, count: number): Promise<Result> {
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

/** What is off in a run, in words. */
function faults(result: Result): string[] {
  const { name, played } = result;
  const { tally } = played;
  const wrong: readonly [count: number, what: string][] = [
    [tally.lost, 'ids lost'],
    [tally.astray, "ids in another request's reply"],
    [tally.wrongOmitted, 'replies that say omitted wrongly, or wrongly do not'],
    [played.odd, 'requests that went another way'],
  ];
  const off = wrong.filter(([count]) => count !== 0).map(([count, what]) => `${name}: ${count} ${what}`);
  off.push(...serverFaults(result));
  if (played.aborted === 0 || tally.delivered === 0 || tally.omitted === 0) off.push(`${name}: nothing was tried`);
  return off;
}

function rows(result: Result): [string, string][] {
  const { seconds, played, measures } = result;
  const last = measures.at(-1);
  const { tally } = played;
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
    ...serverRows(result),
  ];
}

const results = [await soak('sdk', requests), await soak('no-sdk', Math.max(200, Math.round(requests / 4)))];
printTable(
  results.map(({ name }) => name),
  results.map(rows),
);
for (const { name, played, measures } of results) {
  for (const line of [...played.examples, ...(measures.at(-1)?.complaints ?? [])]) console.log(`${name}: ${line}`);
}
const off = results.flatMap(faults);
for (const line of off) console.log(`soak: ${line}`);
process.exitCode = off.length === 0 ? 0 : 1;
