import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../programs/server.mjs', import.meta.url));
const BODY = '{"input":"x"}';

/** What stands around a server: nothing, our instrumentation, instrumentation-http with a tracer, or both. */
export type Variant = 'bare' | 'ours' | 'http' | 'http+ours';

/** The bytes of a request for `path`. */
function requestFor(path: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
}

/** A server of bench/programs/server.mjs in a process of its own. */
export class Server {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #port: Promise<number>;
  #sockets: net.Socket[] = [];

  constructor(variant: Variant) {
    // Plain JavaScript on the built package: what a loader adds is not what is measured.
    const args = ['--expose-gc', PROGRAM, variant];
    this.#child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#port = this.#number();
  }

  async connect(connections: number): Promise<void> {
    const port = await this.#port;
    this.#sockets = Array.from({ length: connections }, () => net.connect(port, '127.0.0.1'));
    await Promise.all(this.#sockets.map((socket) => once(socket, 'connect')));
  }

  /** Asks `requests` times, on all connections at once. @returns CPU microseconds a request */
  async ask(path: string, requests: number): Promise<number> {
    const each = Math.round(requests / this.#sockets.length);
    const before = await this.#tell('cpu');
    await Promise.all(this.#sockets.map((socket) => ask(socket, requestFor(path), each)));
    return ((await this.#tell('cpu')) - before) / (each * this.#sockets.length);
  }

  /** Opens a request on each of `count` new connections and leaves it open. @returns bytes that one takes */
  async holdOpen(count: number): Promise<number> {
    const before = await this.#tell('memory');
    await this.connect(count);
    for (const socket of this.#sockets) socket.write(requestFor('/held'));
    while ((await this.#tell('held')) < count) await new Promise((resolve) => setTimeout(resolve, 5));
    const during = await this.#tell('memory');
    for (const socket of this.#sockets) socket.destroy();
    while ((await this.#tell('held')) > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    return (during - before) / count;
  }

  stop(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#child.stdin.end();
  }

  #tell(what: 'cpu' | 'memory' | 'held'): Promise<number> {
    this.#child.stdin.write(`${what}\n`);
    return this.#number();
  }

  async #number(): Promise<number> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('a server of the bench has ended');
    return Number(value);
  }
}

/** Sends `count` requests one after the other. A reply fits a packet and ends in `}`. */
function ask(socket: net.Socket, request: string, count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const onData = (chunk: Buffer): void => {
      if (chunk.at(-1) !== 125) return;
      left -= 1;
      if (left > 0) {
        socket.write(request);
        return;
      }
      socket.off('data', onData);
      resolve();
    };
    socket.on('data', onData);
    socket.write(request);
  });
}
