/**
 * The faults of a soak: `main.ts --requests N`. A server with an SDK serves N requests and one without an SDK a quarter as
 * many, of a client that aborts, and calls a peer that is hostile and a server that dies and is started again. Each id that
 * was raised is delivered, flagged omitted, or its reply was cut by a fault. Exit code 1 when something is off.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
} from '../measured.ts';
import { ask } from '../messages.ts';
import type { Measures, Remains } from '../server.ts';
import type { Played } from './client.ts';
import type { Tally } from './settle.ts';

const requests = requestCount('100000');
const WARM_UP = warmUpOf(requests);

interface Result extends Measured {
  readonly seconds: number;
  readonly played: Played;
  readonly tally: Tally;
  /** How often the next server died. */
  readonly deaths: number;
}

/** The next server, which is started again on its port each time it dies. */
class NextServer {
  readonly ledgers: string[] = [];
  port = 0;
  #dir: string;
  #child: ChildProcess | undefined;
  #isOver = false;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async start(): Promise<void> {
    const ledger = join(this.#dir, `next-${this.ledgers.length}.txt`);
    this.ledgers.push(ledger);
    const child = start('./faults/next.ts', String(this.port), ledger);
    this.#child = child;
    child.on('exit', (_code, signal) => {
      if (this.#isOver) return;
      if (signal !== 'SIGKILL') throw new Error('the next server ended by itself');
      void this.start();
    });
    const [port] = await once(child, 'message');
    this.port = Number(port);
  }

  end(): void {
    this.#isOver = true;
    this.#child?.kill();
  }
}

async function soak(variant: Variant, count: number): Promise<Result> {
  const started = performance.now();
  const dir = mkdtempSync(join(tmpdir(), 'soak-faults-'));
  const ledger = join(dir, 'server.txt');
  const children = ['./server.ts', './faults/peer.ts', './faults/client.ts'].map((program) =>
    start(program, variant, 'faults'),
  );
  const [server, peer, client] = children;
  if (server === undefined || peer === undefined || client === undefined) throw new Error('three are started');
  const next = new NextServer(dir);
  // Whatever hangs ends here.
  const deadline = setTimeout(
    () => {
      console.error('soak: the run took too long');
      for (const child of children) child.kill('SIGKILL');
    },
    120_000 + count * 100,
  );
  try {
    await next.start();
    const told = { peer: await ask<number>(peer, 'listen'), next: next.port, ledger };
    const port = await ask<number>(server, 'listen', told);
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
    await ask(peer, 'end');
    next.end();
    const remains = await ask<Remains>(server, 'end');
    const tally = await ask<Tally>(client, 'settle', { server: ledger, next: next.ledgers });
    const seconds = (performance.now() - started) / 1000;
    return {
      name: variant,
      requests: count,
      seconds,
      played,
      tally,
      deaths: next.ledgers.length - 1,
      measures,
      remains,
    };
  } finally {
    clearTimeout(deadline);
    next.end();
    for (const child of children) child.kill();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** What is off in a run, in words. */
function faults(result: Result): string[] {
  const { name, played, tally, deaths } = result;
  const wrong: readonly [count: number, what: string][] = [
    [tally.lost, 'ids lost'],
    [tally.astray, "ids in another request's reply"],
    [tally.wrongOmitted, 'replies that say omitted wrongly, or wrongly do not'],
    [played.odd, 'requests that went another way'],
  ];
  const off = wrong.filter(([count]) => count !== 0).map(([count, what]) => `${name}: ${count} ${what}`);
  off.push(...serverFaults(result));
  const tried = [tally.delivered, tally.omitted, tally.cut, tally.fromPeer, played.aborted, played.broken, deaths];
  if (tried.includes(0)) off.push(`${name}: not everything was tried`);
  return off;
}

function rows(result: Result): [string, string][] {
  const { seconds, played, tally, deaths, measures } = result;
  return [
    [`requests, ${WARM_UP} to warm up among them`, String(played.requests)],
    ['seconds', seconds.toFixed(0)],
    ['given up by the client, or halves of requests', String(played.aborted)],
    ['no requests at all, or hostile ones', String(played.hostile)],
    ['replies cut by the server', String(played.broken)],
    ['replies read to the end', String(played.whole)],
    ['replies cut, as the server counts them', String(measures.at(-1)?.counts.aborted)],
    ['deaths of the next server', String(deaths)],
    ['failures raised', String(tally.raised)],
    ['ids sent by the peer', String(tally.fromPeer)],
    ['ids delivered', String(tally.delivered)],
    ['ids flagged omitted', String(tally.omitted)],
    ['ids whose reply was cut by a fault', String(tally.cut)],
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
for (const { name, played, tally, measures } of results) {
  const lines = [...played.examples, ...tally.examples, ...(measures.at(-1)?.complaints ?? [])];
  for (const line of lines) console.log(`${name}: ${line}`);
}
const off = results.flatMap(faults);
for (const line of off) console.log(`soak: ${line}`);
process.exitCode = off.length === 0 ? 0 : 1;
