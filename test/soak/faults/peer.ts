/** A peer from the worst side, on raw sockets: what it sends is odd, hostile, endless or half. Path: `/<kind>/<n>`. */
import net, { type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answer } from '../messages.ts';

const HEADER = 'X-NG-Failure-Report';
const FIELD = 'nemo_gym_failure_report';

function eventOf(id: string, cause?: string): object {
  const parts = { event_id: id, boundary: 'model', failure_kind: 'transport_timeout', failure_reason: 'x' };
  return cause === undefined ? parts : { ...parts, cause_id: cause };
}

function chain(n: string): string {
  const [outer, inner] = [`p${n}-0`, `p${n}-1`];
  return JSON.stringify({ failure_id: outer, events: { [outer]: eventOf(outer, inner), [inner]: eventOf(inner) } });
}

const single = (id: string): string => JSON.stringify({ failure_id: id, events: { [id]: eventOf(id) } });
const terminal = (id: string): string => `data: {"type":"error","${FIELD}":${single(id)}}\n\n`;

function head(n: string, report: string | undefined = chain(n), ...more: readonly string[]): string {
  const lines = ['HTTP/1.1 503 No', ...(report === undefined ? [] : [`${HEADER}: ${report}`]), ...more];
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`;
}

const PLAIN = 'Content-Length: 2';
const STREAM = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n';
const BLOCK = 'x'.repeat(16 * 1024);

const send = (socket: Socket, text: string): boolean => socket.write(Buffer.from(text, 'latin1'));

/** Writes what `next` gives as long as somebody reads. */
async function forEver(socket: Socket, next: () => string): Promise<void> {
  while (!socket.destroyed) {
    if (!send(socket, next())) {
      await new Promise<void>((resolve) => {
        const on = (): void => {
          socket.off('drain', on).off('close', on);
          resolve();
        };
        socket.on('drain', on).on('close', on);
      });
    }
    // So that neither side has nothing else to do.
    await delay(1);
  }
}

type Act = (socket: Socket, n: string) => unknown;

const whole =
  (textOf: (n: string) => string): Act =>
  (socket, n) =>
    socket.end(Buffer.from(`${textOf(n)}{}`, 'latin1'));

const ACTS: Readonly<Record<string, Act>> = {
  chain: whole((n) => head(n, chain(n), PLAIN)),
  pieces: async (socket, n) => {
    for (const piece of `${head(n, chain(n), PLAIN)}{}`.match(/.{1,150}/gs) ?? []) {
      send(socket, piece);
      await delay(1);
    }
    socket.end();
  },
  hints: whole((n) => `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n`.repeat(100) + head(n, chain(n), PLAIN)),
  escapes: whole((n) =>
    head(n, chain(n), PLAIN, 'X-Request-Id: a\x9b31mb').replace('No', `\x1b[2J${'y'.repeat(8000)}`),
  ),
  repeated: whole((n) =>
    head(n, undefined, PLAIN, ...Array.from({ length: 50 }, (_, index) => `${HEADER}: ${single(`p${n}-${index}`)}`)),
  ),
  'not-json': whole((n) => head(n, '{"events": <html>', PLAIN)),
  'not-ascii': whole((n) => head(n, '\xfc\xff{\x9b', PLAIN)),
  deep: whole((n) => head(n, '['.repeat(4000) + ']'.repeat(4000), PLAIN)),
  'bad-chunk': whole((n) => `${head(n, chain(n), 'Transfer-Encoding: chunked')}zz\r\n`),
  'short-body': whole((n) => head(n, chain(n), 'Content-Length: 5000')),
  contradiction: whole((n) => head(n, chain(n), 'Content-Length: 2', 'Transfer-Encoding: chunked')),
  'endless-header': async (socket) => {
    send(socket, `HTTP/1.1 200 OK\r\n${HEADER}: `);
    await forEver(socket, () => BLOCK);
  },
  reset: (socket) => socket.resetAndDestroy(),
  field: (socket, n) => socket.end(STREAM + terminal(`p${n}-0`)),
  'reset-in-line': async (socket, n) => {
    send(socket, `${STREAM}${terminal(`p${n}-0`)}data: {"type":"err`);
    await delay(30);
    socket.resetAndDestroy();
  },
  'half-open': (socket, n) => send(socket, `${STREAM}${terminal(`p${n}-0`)}data: {"type":"err`),
  'endless-line': async (socket) => {
    send(socket, `${STREAM}data: {"type":"error","${FIELD}":{"events":{"`);
    await forEver(socket, () => BLOCK);
  },
  'endless-reports': async (socket, n) => {
    send(socket, STREAM + terminal(`p${n}-0`));
    let count = 0;
    const next = (): string => {
      count += 1;
      return terminal(`p${n}-${count}`);
    };
    await forEver(socket, () => Array.from({ length: 10 }, next).join(''));
  },
  'no-answer': () => {},
  'half-head': (socket) => send(socket, `HTTP/1.1 200 OK\r\n${HEADER.slice(0, 9)}`),
  drops: async (socket, n) => {
    for (const byte of head(n)) {
      if (socket.destroyed) return;
      send(socket, byte);
      await delay(5);
    }
  },
  'endless-error': async (socket, n) => {
    send(socket, head(n, chain(n)));
    await forEver(socket, () => BLOCK);
  },
};

const sockets = new Set<Socket>();
const server = net.createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  socket.once('data', (bytes) => {
    const [, kind = '', n = ''] = /^\S+ \/([^/]+)\/(\d+)/.exec(bytes.toString('latin1')) ?? [];
    void ACTS[kind]?.(socket, n);
  });
});

answer({
  async listen() {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    return typeof address === 'object' ? address?.port : undefined;
  },
  end() {
    server.close();
    for (const socket of sockets) socket.destroy();
  },
});
