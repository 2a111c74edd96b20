/** A server from the worst side: what it puts into the report's header and into streams is valid, odd or hostile. */
import http, { type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { IDS_HEADER, OMITTED_HEADER, type Verdict } from './messages.ts';

const HEADER = 'x-ng-failure-report';
const FIELD = 'nemo_gym_failure_report';

function eventOf(id: string, cause?: string): object {
  return {
    event_id: id,
    boundary: 'model',
    failure_kind: 'transport_timeout',
    failure_reason: 'x',
    ...(cause === undefined ? {} : { cause_id: cause }),
  };
}

/** JSON by hand: `__proto__` has to become a key as any other. */
function reportOf(ids: readonly string[], own?: string): string {
  const events = ids.map((id, index) => {
    return `${JSON.stringify(id)}:${JSON.stringify(eventOf(id, own === undefined ? undefined : ids[index + 1]))}`;
  });
  return `{${own === undefined ? '' : `"failure_id":${JSON.stringify(own)},`}"events":{${events.join(',')}}}`;
}

interface Reply {
  readonly ids?: readonly string[];
  readonly omitted?: Verdict;
  readonly values: readonly string[];
}

const many = (n: number, count: number): string[] => Array.from({ length: count }, (_, index) => `u${n}-${index}`);
const CYCLE = `{"events":{"a":${JSON.stringify(eventOf('a', 'b'))},"b":${JSON.stringify(eventOf('b', 'a'))}}}`;
const ODD_IDS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/** Replies with a report in the header. */
const HEADERS: Readonly<Record<string, (n: number) => Reply>> = {
  chain: (n) => ({ ids: [`u${n}-a`, `u${n}-b`], values: [reportOf([`u${n}-a`, `u${n}-b`], `u${n}-a`)] }),
  plain: (n) => ({ ids: [`u${n}-a`], values: [reportOf([`u${n}-a`])] }),
  // Who reads the two joined, as fetch gives them, reads no report.
  twice: (n) => ({
    ids: [`u${n}-a`, `u${n}-b`],
    omitted: 'may',
    values: [reportOf([`u${n}-a`]), reportOf([`u${n}-b`])],
  }),
  proto: () => ({ ids: ODD_IDS, values: [reportOf(ODD_IDS)] }),
  empty: () => ({ values: ['{}'] }),
  'not-json': () => ({ omitted: 'must', values: ['{"events": <html>'] }),
  deep: () => ({ omitted: 'must', values: ['['.repeat(4000) + ']'.repeat(4000)] }),
  cycle: () => ({ omitted: 'must', values: [CYCLE] }),
  'not-ascii': () => ({ omitted: 'must', values: ['\xfc\xff{'] }),
  long: (n) => ({ omitted: 'must', values: [reportOf(many(n, 140)).padEnd(15_500)] }),
  // Over the limit of Node's parser: the call itself fails.
  'too-long': (n) => ({ values: [reportOf(many(n, 140)).padEnd(17_000)] }),
};

const FIRST = 'data: {"type":"response.created"}\n\n';
const terminal = (report: string): string => `data: {"type":"response.failed","${FIELD}":${report}}\n\n`;

/** Really zipped: fetch of Node 20 may wait for ever on bytes that are not. */
const ZIPPED = gzipSync(terminal('{"omitted":true}'));

interface Stream {
  readonly ids?: readonly string[];
  readonly omitted?: Verdict;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Buffer)[];
  readonly cut?: boolean;
}

/** Event streams. The rare ones are large: once in so many requests is enough. */
const STREAMS: Readonly<Record<string, (n: number, rare: boolean) => Stream>> = {
  field: (n) => ({ ids: [`u${n}-a`], pieces: [FIRST, terminal(reportOf([`u${n}-a`]))] }),
  slivers: (n) => ({
    ids: [`u${n}-a`],
    pieces: (FIRST + terminal(reportOf([`u${n}-a`]))).replaceAll('\n', '\r').match(/.{1,23}/gs) ?? [],
  }),
  // A line that its stream's end cuts off is no evidence, unless it is over the limit and has the field's name.
  endless: (_, rare) => ({
    omitted: rare ? 'must' : 'never',
    pieces: [`data: {"${FIELD}":{"events":{"`, ...Array<string>(rare ? 40 : 2).fill('x'.repeat(32 * 1024))],
  }),
  many: (n, rare) => ({ omitted: 'must', pieces: [FIRST, terminal(reportOf(many(n, rare ? 4000 : 70)))] }),
  garbage: () => ({ omitted: 'must', pieces: [FIRST, `data: {"${FIELD}":<html>\n\n`] }),
  zipped: () => ({ headers: { 'content-encoding': 'gzip' }, pieces: [ZIPPED] }),
  cut: (n) => ({ ids: [`u${n}-a`], pieces: [FIRST, terminal(reportOf([`u${n}-a`])), 'data: {"ty'], cut: true }),
};

export const HEADER_KINDS: readonly string[] = Object.keys(HEADERS);
export const STREAM_KINDS: readonly string[] = Object.keys(STREAMS);

function tell(response: ServerResponse, { ids = [], omitted = 'never' }: Pick<Reply, 'ids' | 'omitted'>): void {
  response.setHeader(IDS_HEADER, ids.join(','));
  response.setHeader(OMITTED_HEADER, omitted);
}

async function stream(response: ServerResponse, { headers = {}, pieces, cut = false, ...told }: Stream): Promise<void> {
  tell(response, told);
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await writable(response);
    // So that a few pieces come alone.
    if (pieces.length < 4) await delay(1);
  }
  if (cut) {
    // What was written has to arrive before the end does.
    await delay(20);
    response.destroy();
  } else response.end();
}

function writable(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const on = (): void => {
      response.off('drain', on).off('close', on);
      resolve();
    };
    response.on('drain', on).on('close', on);
  });
}

/** `/<kind>/<n>/<rare>`, where kind is one of the two tables', or `reset`. */
export const upstream = http.createServer((request, response) => {
  const [, kind = '', number = '', rare = ''] = (request.url ?? '').split('/');
  request.resume();
  const n = Number(number);
  const streamed = STREAMS[kind]?.(n, rare === 'rare');
  if (streamed !== undefined) {
    void stream(response, streamed);
    return;
  }
  const reply = HEADERS[kind]?.(n);
  if (reply === undefined) {
    request.socket.resetAndDestroy();
    return;
  }
  tell(response, reply);
  response.setHeader(HEADER, reply.values);
  response.writeHead(kind === 'chain' ? 503 : 200).end('{}');
});
