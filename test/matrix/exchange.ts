import { once } from 'node:events';
import http2 from 'node:http2';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';

/** What a caller does on a connection: bytes to send, a pause in ms, bytes to wait for, or a sudden end. */
export type Step = string | number | RegExp | 'destroy';

export const DESTROY = 'destroy';
const PATIENCE_MS = 20_000;

/** A request as its bytes. */
export function request(method: string, path: string, headers: readonly string[] = [], body = ''): string {
  return [`${method} ${path} HTTP/1.1`, 'Host: x', ...headers, '', body].join('\r\n');
}

/** The last request on a connection. */
export function lastRequest(method: string, path: string, headers: readonly string[] = [], body = ''): string {
  return request(method, path, ['Connection: close', ...headers], body);
}

/** A connection on which a caller sends and hears bytes, as latin1 text. */
export class Wire {
  #heard = '';
  readonly #socket: net.Socket;
  /** Fulfilled with why it broke, if it did. */
  readonly #closed: Promise<Error | undefined>;

  constructor(port: number, secure: boolean) {
    const where = { port, host: '127.0.0.1' };
    this.#socket = secure ? tls.connect({ ...where, rejectUnauthorized: false }) : net.connect(where);
    this.#socket.setTimeout(PATIENCE_MS, () => this.#socket.destroy(new Error(`no end after ${this.#heard}`)));
    this.#socket.on('data', (chunk: Buffer) => {
      this.#heard += chunk.toString('latin1');
    });
    this.#closed = new Promise((resolve) => {
      let reason: Error | undefined;
      this.#socket.on('error', (error) => {
        reason = error;
      });
      this.#socket.on('close', () => resolve(reason));
    });
  }

  async take(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (step === DESTROY) this.#socket.destroy();
      else if (typeof step === 'string') this.#socket.write(step, 'latin1');
      else if (typeof step === 'number') await delay(step);
      else await this.#waitFor(step);
    }
  }

  /** Everything heard until the connection closed. */
  async end(): Promise<string> {
    const reason = await this.#closed;
    if (reason !== undefined) throw reason;
    return this.#heard;
  }

  async #waitFor(wanted: RegExp): Promise<void> {
    while (!wanted.test(this.#heard)) {
      if (this.#socket.destroyed) throw new Error(`closed before ${wanted}: ${this.#heard}`);
      await Promise.race([new Promise((resolve) => this.#socket.once('data', resolve)), this.#closed]);
    }
  }
}

/** A reply of an HTTP/2 server as text, its headers in their order. */
export async function http2Reply(port: number, path: string): Promise<string> {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  // The stream tells of the same.
  session.on('error', () => {});
  try {
    const stream = session.request({ ':path': path });
    stream.setTimeout(PATIENCE_MS, () => stream.destroy(new Error(`no reply to ${path}`)));
    const body: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => body.push(chunk));
    const [[headers]] = await Promise.all([once(stream, 'response'), once(stream, 'end')]);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return [...lines, '', Buffer.concat(body).toString('latin1')].join('\r\n');
  } finally {
    session.close();
  }
}
