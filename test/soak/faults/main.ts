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
import { type CourseResult, main, playTenths, withChildren } from '../course.ts';
import { requestCount, start, type Variant } from '../measured.ts';
import { ask } from '../messages.ts';
import type { Remains } from '../server.ts';
import type { Played } from './client.ts';
import type { Tally } from './settle.ts';

const requests = requestCount('100000');

interface Result extends CourseResult {
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

async function run(variant: Variant, count: number): Promise<Result> {
  const started = performance.now();
  const dir = mkdtempSync(join(tmpdir(), 'soak-faults-'));
  const ledger = join(dir, 'server.txt');
  const [server, peer, client] = [
    start('./server.ts', variant, 'faults'),
    start('./faults/peer.ts'),
    start('./faults/client.ts'),
  ];
  const next = new NextServer(dir);
  try {
    return await withChildren([server, peer, client], 120_000 + count * 100, async () => {
      await next.start();
      const told = { peer: await ask<number>(peer, 'listen'), next: next.port, ledger };
      const port = await ask<number>(server, 'listen', told);
      const course = await playTenths<Played>({ variant, count, requests, server, client, port });
      await ask(peer, 'end');
      next.end();
      const remains = await ask<Remains>(server, 'end');
      const tally = await ask<Tally>(client, 'settle', { server: ledger, next: next.ledgers });
      const seconds = (performance.now() - started) / 1000;
      const deaths = next.ledgers.length - 1;
      return { name: variant, requests: count, seconds, ...course, tally, deaths, remains };
    });
  } finally {
    next.end();
    rmSync(dir, { recursive: true, force: true });
  }
}

await main<Result>(requests, {
  run,
  rows: ({ played, tally, deaths, measures }) => [
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
  ],
  faults: ({ name, played, tally, deaths }) => {
    const tried = [tally.delivered, tally.omitted, tally.cut, tally.fromPeer, played.aborted, played.broken, deaths];
    return tried.includes(0) ? [`${name}: not everything was tried`] : [];
  },
  examples: ({ played, tally }) => [...played.examples, ...tally.examples],
});
