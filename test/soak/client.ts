/** The client, in a process of its own, with the upstream server beside it: plays requests of every sort when asked. */
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientPlayed } from './course.ts';
import { answer } from './messages.ts';
import { AT_ONCE, inTime, type Playing, playAll } from './playing.ts';
import { check, examples, tally } from './replies.ts';
import { HEADER_KINDS, STREAM_KINDS, upstream } from './upstream.ts';

export interface Played extends ClientPlayed {
  /** Given up by the client. */
  readonly aborted: number;
  /** Streams that the server cut. */
  readonly cut: number;
  readonly streams: number;
  readonly failing: number;
  readonly tally: Readonly<typeof tally>;
}

const PATIENCE_MS = Number(process.env.PATIENCE ?? 30_000);
const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
const played = { requests: 0, aborted: 0, cut: 0, streams: 0, failing: 0, odd: 0 };
let port = 0;

interface Plan {
  readonly path: string;
  /** Its number; also decides what is done now and then only. */
  readonly n: number;
}

interface Answer {
  readonly values: readonly string[];
  readonly body: string;
  readonly cut: boolean;
}

/** True for `many` requests, false for the next. */
function every(many: number, n: number): boolean {
  return Math.floor(n / many) % 2 === 0;
}

/** Sends a request; half of them on sockets that are kept, with a body that comes late where `parts` are given. */
function send({ path, n }: Plan, parts: readonly string[] = []): http.ClientRequest {
  const request = http.request({
    host: '127.0.0.1',
    port,
    path,
    method: parts.length > 0 ? 'POST' : 'GET',
    agent: every(40, n) ? agent : false,
  });
  if (parts.length === 0) request.end();
  else void sendParts(request, parts);
  return request;
}

async function sendParts(request: http.ClientRequest, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    request.write(part);
    await delay(2);
  }
  request.end();
}

function responseTo(request: http.ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request.on('response', resolve).on('error', reject));
}

async function read(request: http.ClientRequest, pauseMs = 0): Promise<Answer> {
  const response = await responseTo(request);
  const chunks: Buffer[] = [];
  let cut = false;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      if (pauseMs > 0) await delay(pauseMs);
    }
  } catch {
    cut = true;
  }
  const values = response.headersDistinct['x-ng-failure-report'] ?? [];
  return { values, body: Buffer.concat(chunks).toString(), cut };
}

async function readWhole(plan: Plan, parts?: readonly string[], pauseMs?: number): Promise<void> {
  const { values, body, cut } = await read(send(plan, parts), pauseMs);
  if (cut) throw new Error('the reply broke off');
  check(plan.path, values, body);
}

async function readCut(plan: Plan): Promise<void> {
  const { cut } = await read(send(plan));
  if (!cut) throw new Error('the reply did not break off');
  played.cut += 1;
}

/** Gives up before the reply, or once its first bytes are there, with a FIN or with a reset. */
async function giveUp(plan: Plan, within: boolean): Promise<void> {
  const request = send(plan);
  request.on('error', () => {});
  let over = false;
  const closed = new Promise<void>((resolve) => {
    request.on('close', () => {
      over = true;
      resolve();
    });
  });
  if (within) {
    const response = await responseTo(request);
    response.on('error', () => {});
    await new Promise((resolve) => response.once('data', resolve));
  } else await delay(4);
  // A kept socket may be another request's by now; one that is ending already cannot be reset.
  if (every(80, plan.n) && !over && request.socket?.writable) request.socket.resetAndDestroy();
  request.destroy();
  await closed;
  played.aborted += 1;
}

/** Two requests in one write, as only a raw socket can send them. */
async function pipeline(plans: readonly [Plan, Plan]): Promise<void> {
  const socket = net.connect(port, '127.0.0.1');
  const heads = plans.map(({ path }, index) => {
    return `GET ${path} HTTP/1.1\r\nHost: x\r\n${index === 0 ? '' : 'Connection: close\r\n'}\r\n`;
  });
  socket.write(heads.join(''));
  let text = '';
  for await (const chunk of socket) text += chunk;
  const replies = text.split(/(?=HTTP\/1\.1 \d{3} )/);
  if (replies.length !== plans.length) throw new Error(`${replies.length} replies on a pipeline`);
  for (const [index, reply] of replies.entries()) {
    const end = reply.indexOf('\r\n\r\n');
    const values = [...reply.slice(0, end).matchAll(/^x-ng-failure-report: (.*)$/gim)].map(([, value = '']) => value);
    // The replies are chunked, each in one piece.
    const body = /\{.*\}/s.exec(reply.slice(end))?.[0] ?? '';
    check(plans[index]?.path ?? '', values, body);
  }
}

function pathOf(n: number, route: string, upstreamPath = ''): Plan {
  return { n, path: `${n % 3 === 0 ? `/ng-rollout/r${n}` : ''}/${route}/${upstreamPath}` };
}

function kindOf(kinds: readonly string[], round: number): string {
  return kinds[round % kinds.length] ?? '';
}

const LATE = ['ab', 'cd', 'ef'];

/** One of each twenty requests; how often what comes is the list itself. */
const SORTS: readonly ((n: number, round: number) => Promise<void>)[] = [
  (n, round) => giveUp(pathOf(n, ['slow', 'stream-http', 'fetch'][round % 3] ?? '', `plain/${n}`), false),
  (n, round) => giveUp(pathOf(n, round % 2 === 0 ? 'endless' : 'large'), true),
  (n) => readWhole(pathOf(n, 'stream')),
  (n, round) => (round % 2 === 0 ? readCut(pathOf(n, 'stream-cut')) : readWhole(pathOf(n, 'stream'), LATE)),
  (n) => readWhole(pathOf(n, 'own')),
  (n, round) => readWhole(pathOf(n, ['too-much', 'full', 'slow', 'own'][round % 4] ?? '')),
  (n) => readWhole(pathOf(n, 'attempt')),
  (n) => readWhole(pathOf(n, 'large'), undefined, 1),
  (n) => readWhole(pathOf(n, 'body'), LATE),
  (n, round) => readWhole(pathOf(n, 'fetch', `${kindOf(HEADER_KINDS, round)}/${n}`)),
  (n, round) => readWhole(pathOf(n, 'http', `${kindOf(HEADER_KINDS, round)}/${n}`)),
  (n, round) => readWhole(pathOf(n, round % 2 === 0 ? 'fetch' : 'http', `reset/${n}`)),
  (n, round) =>
    readWhole(pathOf(n, 'stream-fetch', `${kindOf(STREAM_KINDS, round)}/${n}/${round % 97 < 7 ? 'rare' : ''}`)),
  (n, round) =>
    readWhole(pathOf(n, 'stream-http', `${kindOf(STREAM_KINDS, round)}/${n}/${round % 97 < 7 ? 'rare' : ''}`)),
  // The first one is open still when the second one starts.
  (n) => pipeline([pathOf(n, 'attempt'), pathOf(n + 1, 'own')]),
  // The second one of the pipeline.
  async () => {},
  (n, round) => readWhole(pathOf(n, 'model', `${round % 2 === 0 ? 'reset' : 'chain'}/${n}`)),
  (n) => readWhole(pathOf(n, 'quiet'), LATE.slice(2)),
  (n) => readWhole(pathOf(n, 'quiet')),
  (n) => readWhole(pathOf(n, 'quiet')),
];

async function one(n: number): Promise<void> {
  const sort = n % SORTS.length;
  try {
    await inTime(Promise.resolve(SORTS[sort]?.(n, Math.floor(n / SORTS.length))), PATIENCE_MS);
  } catch (error) {
    played.odd += 1;
    if (examples.length < 5) examples.push(`request ${n} of sort ${sort}: ${String(error)}`);
  }
  played.requests += 1;
  if (sort === 2 || sort === 3) played.streams += 1;
  if (sort === 4 || sort === 5) played.failing += 1;
}

answer({
  async listen() {
    await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening));
    const address = upstream.address();
    return typeof address === 'object' ? address?.port : undefined;
  },
  async play(given): Promise<Played> {
    const playing = given as Playing;
    port = playing.server;
    await playAll(playing, one);
    return { ...played, tally, examples };
  },
  end() {
    agent.destroy();
    upstream.closeAllConnections();
    upstream.close();
  },
});
