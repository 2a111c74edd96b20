import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeReplyError } from '../../src/failures/agent-route.ts';
import { explicitCauses, failureReportFor } from '../../src/failures/cause-chain.ts';
import { isHandledEpisodeFailure } from '../../src/failures/episode.ts';
import { deserializeFailure, serializeFailure } from '../../src/failures/serialize.ts';
import type { FailureReportRecord } from '../../src/records/failure-report.ts';

/** What the program tells of a failure that it made or was sent. */
interface Told {
  readonly failure: unknown;
  readonly report: FailureReportRecord;
  readonly chain: readonly string[];
  readonly handled: { readonly terminal: boolean; readonly partial: unknown } | null;
  readonly answers: string;
}

interface Carrier {
  ask(message: object): Promise<Told>;
  end(): Promise<unknown>;
}

const PROGRAM = fileURLToPath(new URL('./programs/failure-carrier.mjs', import.meta.url));

function workerThread(): Carrier {
  const worker = new Worker(PROGRAM);
  return {
    ask: async (message) => {
      const reply = once(worker, 'message');
      worker.postMessage(message);
      return (await reply)[0];
    },
    end: () => worker.terminate(),
  };
}

function child(serialization: 'json' | 'advanced'): Carrier {
  const forked: ChildProcess = fork(PROGRAM, { serialization });
  return {
    ask: async (message) => {
      const reply = once(forked, 'message');
      forked.send(message);
      return (await reply)[0];
    },
    end: () => ended(forked, () => forked.disconnect()),
  };
}

function jsonLines(): Carrier {
  const piped = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: piped.stdout });
  return {
    ask: async (message) => {
      const reply = once(lines, 'line');
      piped.stdin.write(`${JSON.stringify(message)}\n`);
      return JSON.parse((await reply)[0]);
    },
    end: () => ended(piped, () => piped.stdin.end()),
  };
}

async function ended(running: ChildProcess, stop: () => void): Promise<unknown> {
  const exit = once(running, 'exit');
  stop();
  return await exit;
}

describe.each([
  ['a worker thread', workerThread],
  ['a forked child that speaks JSON', () => child('json')],
  ['a forked child with advanced serialization', () => child('advanced')],
  ['a program that reads and writes JSON lines', jsonLines],
] as const)('through %s', (_name, start) => {
  let carrier: Carrier;
  beforeAll(() => {
    carrier = start();
  });
  afterAll(async () => {
    await carrier.end();
  });

  it('a failure comes back as the same chain, with its ids, foreign facts and decision', async () => {
    const there = await carrier.ask({});
    const error = deserializeFailure(there.failure);
    expect(failureReportFor(error).toJSON()).toEqual(there.report);
    expect([...explicitCauses(error)].map(String)).toEqual(there.chain);
    expect(there.chain).toEqual([
      'NgFailureEvent: the page crashed',
      "NgFailureEvent: The agent's run route failed",
      'Error: the client gave up',
      'NgFailureEvent: dropped 😀',
      'ConnectionLost: socket hang up',
    ]);
    expect(there.report.events?.['from-a-peer']).toMatchObject({
      shard: { index: 3 },
      foreign_error: { exception_type: 'ConnectionLost', message: 'socket hang up', http_status: 502 },
    });
    expect(isHandledEpisodeFailure(error) && error.terminal).toBe(true);
    expect(isHandledEpisodeFailure(error) && error.partial).toEqual({ steps: ['open', 'click'] });
    expect(String(routeReplyError(error.cause))).toBe('Error: the client gave up');
  });

  it('a failure that goes there, comes back and goes again is told the same each time', async () => {
    const first = await carrier.ask({});
    const second = await carrier.ask({ failure: first.failure });
    const third = await carrier.ask({ failure: serializeFailure(deserializeFailure(second.failure)) });
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });
});
