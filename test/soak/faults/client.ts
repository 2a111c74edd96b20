/** The client, in a process of its own: aborts, resets, reads slowly, half and not at all, and sends what is no request. */
import http, { type IncomingMessage } from 'node:http';
import net, { type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientPlayed } from '../course.ts';
import { answer } from '../messages.ts';
import { AT_ONCE, inTime, type Playing, playAll } from '../playing.ts';
import { HEADS, type PeerKind, STREAMS } from './kinds.ts';
import { HOSTILE, requestOf } from './requests.ts';
import { type RawReply, rawReply, reportsIn, type Seen } from './seen.ts';
import { type Ledgers, settle } from './settle.ts';

export interface Played extends ClientPlayed {
  /** Given up by the client, with a FIN or a reset. */
  readonly aborted: number;
  /** Cut by the server. */
  readonly broken: number;
  /** No requests at all, or halves. */
  readonly hostile: number;
  readonly whole: number;
}

const PATIENCE_MS = 60_000;
const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
const played = { requests: 0, aborted: 0, broken: 0, hostile: 0, whole: 0, odd: 0 };
const examples: string[] = [];
const sights = new Map<number, Seen>();
let port = 0;

type Sight = Pick<RawReply, 'values' | 'body'> & { readonly end: Seen['end']; readonly kind?: PeerKind };
const NOTHING = { values: [], body: '' };

/** Sends a request and reads its reply, with a pause after each piece. */
async function get(n: number, path: string, pauseMs = 0): Promise<Sight> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const given = { host: '127.0.0.1', port, path, agent: n % 3 === 0 ? false : agent };
    http.get(given, resolve).on('error', reject);
  });
  const pieces: Buffer[] = [];
  let end: Seen['end'] = 'whole';
  try {
    for await (const piece of response) {
      pieces.push(piece);
      if (pauseMs > 0) await delay(pauseMs);
    }
  } catch {
    end = 'broke';
  }
  const values = response.headersDistinct['x-ng-failure-report'] ?? [];
  return { values, body: Buffer.concat(pieces).toString(), end };
}

async function whole(n: number, path: string, kind?: PeerKind, pauseMs?: number): Promise<Sight> {
  const sight = await get(n, path, pauseMs);
  if (sight.end !== 'whole') throw new Error('the reply broke off');
  return kind === undefined ? sight : { ...sight, kind };
}

async function brokenOff(n: number): Promise<Sight> {
  const sight = await get(n, `/cut/${n}`);
  if (sight.end !== 'broke') throw new Error('the reply did not break off');
  return sight;
}

/** What a raw socket got until it closed, or until `enough` was there. */
async function textOf(socket: Socket, enough = Number.POSITIVE_INFINITY): Promise<string> {
  let text = '';
  socket.setEncoding('latin1');
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve()).on('error', () => resolve());
    socket.on('end', () => resolve());
    socket.on('data', (piece: string) => {
      text += piece;
      if (text.length >= enough) resolve();
    });
  });
  return text;
}

function connect(): Socket {
  return net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
}

const closed = (socket: Socket): Promise<void> =>
  socket.closed ? Promise.resolve() : new Promise((resolve) => socket.once('close', () => resolve()));

/** With a reset, or with an orderly end. */
async function leave(socket: Socket, n: number): Promise<void> {
  if (n % 40 < 20) socket.resetAndDestroy();
  else socket.destroy();
  await closed(socket);
}

/** Gives up after so many bytes of the reply, or before any. */
async function giveUp(n: number, path: string, bytes: number): Promise<Sight> {
  const socket = connect();
  socket.write(requestOf(path));
  let text = '';
  if (bytes > 0) text = await textOf(socket, bytes);
  else await delay(5);
  await leave(socket, n);
  const reply = rawReply(text);
  return { ...(reply ?? NOTHING), end: reply?.isWhole === true ? 'whole' : 'gave-up' };
}

/** Its own end comes with the request: Node takes that for a caller who went away. */
async function halfClosed(n: number): Promise<Sight> {
  const socket = connect();
  socket.end(requestOf(`/slow/${n}`));
  const reply = rawReply(await textOf(socket));
  socket.destroy();
  return { ...(reply ?? NOTHING), end: reply?.isWhole === true ? 'whole' : 'gave-up' };
}

/** Reads nothing of a long reply. */
async function silent(n: number): Promise<Sight> {
  const socket = connect();
  socket.pause();
  socket.write(requestOf(`/long/${n}`));
  await delay(120);
  await leave(socket, n);
  return { ...NOTHING, end: 'gave-up' };
}

async function halfABody(n: number): Promise<Sight> {
  const socket = connect();
  socket.write(`POST /body/${n} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{"half":`);
  await delay(5);
  await leave(socket, n);
  return { ...NOTHING, end: 'gave-up' };
}

/** What is no request, or half of one. What it is answered with matters only where it is a report. */
async function hostile(n: number, round: number): Promise<Sight> {
  const socket = connect();
  socket.write(Buffer.from(HOSTILE[round % HOSTILE.length]?.(n) ?? '', 'latin1'));
  const text = await Promise.race([textOf(socket), delay(60, '')]);
  await leave(socket, n);
  played.hostile += 1;
  const reply = rawReply(text);
  return { ...(reply ?? NOTHING), end: reply?.isWhole === true ? 'whole' : 'gave-up' };
}

function peer(n: number, kinds: Readonly<Record<string, PeerKind>>, round: number, stream: boolean): Promise<Sight> {
  const names = Object.keys(kinds);
  const name = names[round % names.length] ?? '';
  return whole(n, `/peer${stream ? '-stream' : ''}/${n}/${name}`, kinds[name]);
}

const ENDLESS_ERROR: PeerKind = { ids: (n) => [`p${n}-0`, `p${n}-1`], omitted: 'never' };

/** One of each twenty requests; how often what comes is the list itself. */
const SORTS: readonly ((n: number, round: number) => Promise<Sight>)[] = [
  (n) => whole(n, `/own/${n}`),
  (n) => whole(n, `/slow/${n}`),
  (n) => giveUp(n, `/slow/${n}`, 0),
  (n) => giveUp(n, `/long/${n}`, 1),
  (n) => giveUp(n, `/long/${n}`, 100_000),
  (n) => whole(n, `/long/${n}`, undefined, 2),
  (n) => halfClosed(n),
  (n) => silent(n),
  (n) => halfABody(n),
  (n, round) => hostile(n, round),
  (n) => whole(n, `/next/${n}/chain`),
  (n) => whole(n, `/next-stream/${n}/stream`),
  (n, round) => whole(n, `/next/${n}/${round % 100 === 5 ? 'die' : 'cut'}`),
  (n, round) => peer(n, HEADS, round, false),
  (n, round) => peer(n, HEADS, round, true),
  (n, round) => peer(n, STREAMS, round, false),
  (n, round) => peer(n, STREAMS, round, true),
  (n) => brokenOff(n),
  (n) => giveUp(n, `/next-stream/${n}/stream`, 0),
  (n) => whole(n, `/peer/${n}/endless-error`, ENDLESS_ERROR),
];

async function one(n: number): Promise<void> {
  const sort = n % SORTS.length;
  const play = SORTS[sort];
  played.requests += 1;
  try {
    if (play === undefined) return;
    const { values, body, end, kind } = await inTime(play(n, Math.floor(n / SORTS.length)), PATIENCE_MS);
    const expected = kind?.ids(n) ?? [];
    const verdict = kind?.omitted ?? 'never';
    sights.set(n, { ...reportsIn(values, body), end, expected, verdict, kind });
    if (end === 'whole') played.whole += 1;
    else if (end === 'gave-up') played.aborted += 1;
    else played.broken += 1;
  } catch (error) {
    played.odd += 1;
    if (examples.length < 5) examples.push(`request ${n} of sort ${sort}: ${String(error)}`);
  }
}

answer({
  async play(given): Promise<Played> {
    const playing = given as Playing;
    port = playing.server;
    await playAll(playing, one);
    return { ...played, examples };
  },
  settle: (given) => settle(sights, given as Ledgers),
  end: () => agent.destroy(),
});
