/**
 * What a request without failures costs a server, in CPU time: `npx tsx bench/server.bench.ts`. Each variant is a process
 * of its own, with a twin; all are asked in turns, and the figure is the median of the rounds with the quartiles beside
 * it. Twins of the same server differ too: their difference is what the others' mean anything beyond.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import net from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 25);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 4000);
const CONNECTIONS = 8;
const BUDGET_US = 3;
const BUDGET_OVER_HTTP = Number(process.versions.node.split('.')[0]) <= 20 ? 1.08 : 1.04;

const BODY = '{"input":"x"}';
const REQUEST = `POST /v1/responses HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

class Server {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #sockets: net.Socket[] = [];

  constructor(variant: string) {
    const program = new URL('programs/server.ts', import.meta.url).pathname;
    const args = ['--import', 'tsx', program, variant];
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  async connect(): Promise<void> {
    const port = await this.#number();
    for (let index = 0; index < CONNECTIONS; index += 1) this.#sockets.push(net.connect(port, '127.0.0.1'));
  }

  /** CPU microseconds a request, over one round of them. */
  async round(): Promise<number> {
    const before = await this.#cpu();
    await Promise.all(this.#sockets.map((socket) => ask(socket, REQUESTS / CONNECTIONS)));
    return ((await this.#cpu()) - before) / REQUESTS;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#child.stdin.end();
  }

  #cpu(): Promise<number> {
    this.#child.stdin.write('\n');
    return this.#number();
  }

  async #number(): Promise<number> {
    return Number((await this.#lines.next()).value);
  }
}

/** Sends `count` requests one after the other. A reply fits a packet and ends in `}`. */
function ask(socket: net.Socket, count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const onData = (chunk: Buffer): void => {
      if (chunk.at(-1) !== 125) return;
      left -= 1;
      if (left > 0) {
        socket.write(REQUEST);
        return;
      }
      socket.off('data', onData);
      resolve();
    };
    socket.on('data', onData);
    socket.write(REQUEST);
  });
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

interface Figure {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

function figure(values: readonly number[]): Figure {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) };
}

const VARIANTS = ['bare', 'bare-twin', 'ours', 'http', 'http-twin', 'http+ours'] as const;
const servers = new Map(VARIANTS.map((variant) => [variant, new Server(variant)]));
const costs = new Map(VARIANTS.map((variant) => [variant, [] as number[]]));
await Promise.all([...servers.values()].map((server) => server.connect()));
for (let round = -3; round < ROUNDS; round += 1) {
  // Each round starts with another variant, so that none always follows the same one.
  const order = VARIANTS.map((_, index) => VARIANTS[(index + round + 3) % VARIANTS.length] ?? 'bare');
  for (const variant of order) {
    const cost = (await servers.get(variant)?.round()) ?? Number.NaN;
    // The first rounds warm up.
    if (round >= 0) costs.get(variant)?.push(cost);
  }
}
for (const server of servers.values()) server.stop();

const difference = (subject: (typeof VARIANTS)[number], baseline: (typeof VARIANTS)[number]): Figure =>
  figure((costs.get(subject) ?? []).map((cost, round) => cost - (costs.get(baseline)?.[round] ?? Number.NaN)));
const ratio = (subject: (typeof VARIANTS)[number], baseline: (typeof VARIANTS)[number]): Figure =>
  figure((costs.get(subject) ?? []).map((cost, round) => cost / (costs.get(baseline)?.[round] ?? Number.NaN)));
const line = (name: string, { median, low, high }: Figure, unit: string, budget?: number): void => {
  const numbers = `${median.toFixed(2)}${unit} (${low.toFixed(2)}–${high.toFixed(2)})`;
  const verdict =
    budget === undefined ? '' : median <= budget ? `  within ${budget}${unit}` : `  OVER ${budget}${unit}`;
  process.stdout.write(`${name.padEnd(44)}${numbers.padEnd(26)}${verdict}\n`);
};

process.stdout.write(`Node ${process.versions.node}, ${ROUNDS} rounds of ${REQUESTS} requests; median (quartiles)\n`);
for (const variant of VARIANTS) line(`CPU a request: ${variant}`, figure(costs.get(variant) ?? []), ' µs');
line('over node:http', difference('ours', 'bare'), ' µs', BUDGET_US);
line('  twins of node:http', difference('bare-twin', 'bare'), ' µs');
line('beside instrumentation-http', ratio('http+ours', 'http'), '×', BUDGET_OVER_HTTP);
line('  twins of instrumentation-http', ratio('http-twin', 'http'), '×');
