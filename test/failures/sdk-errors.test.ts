import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import axios from 'axios';
import got from 'got';
import OpenAI from 'openai';
import * as undici from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explicitCauses } from '../../src/failures/cause-chain.ts';
import { sdkErrorDetails } from '../../src/failures/foreign-error.ts';
import type { SdkErrorDetails } from '../../src/records/failure-event.ts';
import { isAbort, isTimeout, transportEvidence } from '../../src/transport/model/transport-kind.ts';
import { type FailingServer, failingServer, refusingOrigin, type Way } from '../support/failing-server.ts';

const KEY = 'sk-live-4b1dfa11u7e5ecre7';
const PROMPT = 'the prompt nobody may see';

let server: FailingServer;
/** Speaks something else than HTTP. */
let other: Server;
let refused: string;
beforeAll(async () => {
  server = await failingServer();
  refused = await refusingOrigin();
  other = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')).listen(0, '127.0.0.1');
  await once(other, 'listening');
});
afterAll(async () => {
  other.close();
  await server[Symbol.asyncDispose]();
});

async function errorOf(fn: () => unknown): Promise<unknown> {
  try {
    await fn();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail');
}

const of = (way: Way) => server.address(way, 'any');
const HEADERS = { authorization: `Bearer ${KEY}` };

const clients = {
  openai: (url: string, timeout = 5000) =>
    new OpenAI({ apiKey: KEY, baseURL: url, maxRetries: 0, timeout }).responses.create({ model: 'm', input: PROMPT }),
  axios: (url: string, timeout = 0) => axios.post(url, { input: PROMPT }, { headers: HEADERS, timeout }),
  got: (url: string, timeout = 5000) =>
    got
      .post(url, { json: { input: PROMPT }, headers: HEADERS, retry: { limit: 0 }, timeout: { request: timeout } })
      .json(),
  undici: async (url: string, timeout = 5000) => {
    const dispatcher = new undici.Agent().compose(undici.interceptors.responseError());
    const options = { method: 'POST', body: PROMPT, headers: HEADERS, headersTimeout: timeout, dispatcher } as const;
    return (await undici.request(url, options)).body.json();
  },
  fetch: async (url: string, timeout = 5000) => {
    const signal = AbortSignal.timeout(timeout);
    return (await fetch(url, { method: 'POST', body: PROMPT, headers: HEADERS, signal })).json();
  },
};

interface Case {
  readonly client: keyof typeof clients;
  readonly way: Way | 'refused' | 'other';
  /** What the outermost error gives. */
  readonly details: SdkErrorDetails | { readonly exception_type: string; readonly message: unknown };
  readonly kind?: string;
}

const status = (exception_type: string, message: string, http_status: number) => ({
  exception_type,
  message,
  http_status,
});
const plain = (exception_type: string, message: unknown) => ({ exception_type, message });
const unreachable = (exception_type: string, message: unknown = expect.stringContaining('connect ECONNREFUSED')) =>
  ({ way: 'refused', details: plain(exception_type, message), kind: 'transport_unreachable' }) as const;
const dropped = (way: Case['way'], exception_type: string, message: unknown = 'read ECONNRESET') =>
  ({ way, details: plain(exception_type, message), kind: 'transport_peer_drop' }) as const;

const CASES: Case[] = [
  { client: 'openai', way: 'rate', details: status('RateLimitError', '429 Slow down', 429) },
  { client: 'openai', way: 'broken', details: status('InternalServerError', '500 The server had an error', 500) },
  { client: 'openai', way: 'rejected', details: status('BadRequestError', '400 Too long', 400) },
  { client: 'openai', way: 'silent', details: plain('APIConnectionTimeoutError', 'Request timed out.') },
  { client: 'openai', ...unreachable('APIConnectionError', 'Connection error.') },
  { client: 'openai', ...dropped('reset', 'APIConnectionError', 'Connection error.') },
  { client: 'openai', ...dropped('cut', 'TypeError', 'terminated') },
  { client: 'openai', way: 'garbage', details: plain('SyntaxError', expect.stringContaining('is not valid JSON')) },
  { client: 'axios', way: 'quota', details: status('AxiosError', 'Request failed with status code 429', 429) },
  { client: 'axios', ...unreachable('AxiosError') },
  { client: 'axios', ...dropped('reset', 'AxiosError') },
  { client: 'axios', way: 'cut', details: status('AxiosError', 'stream has been aborted', 200) },
  { client: 'axios', ...dropped('other', 'AxiosError', expect.stringContaining('Parse Error')) },
  {
    client: 'axios',
    way: 'silent',
    details: plain('AxiosError', 'timeout of 40ms exceeded'),
    kind: 'transport_timeout',
  },
  {
    client: 'got',
    way: 'broken',
    details: { ...status('HTTPError', '', 500), message: expect.stringContaining('500') },
  },
  { client: 'got', ...unreachable('RequestError') },
  { client: 'got', ...dropped('reset', 'RequestError') },
  { client: 'got', way: 'silent', details: plain('TimeoutError', expect.anything()), kind: 'transport_timeout' },
  { client: 'undici', way: 'broken', details: status('ResponseError', 'Response Error', 500) },
  { client: 'undici', ...unreachable('Error') },
  { client: 'undici', ...dropped('cut', 'SocketError', 'other side closed') },
  { client: 'undici', ...dropped('other', 'HTTPParserError', expect.stringContaining('does not match the HTTP')) },
  {
    client: 'undici',
    way: 'silent',
    details: plain('HeadersTimeoutError', 'Headers Timeout Error'),
    kind: 'transport_timeout',
  },
  { client: 'fetch', ...unreachable('TypeError', 'fetch failed') },
  { client: 'fetch', ...dropped('reset', 'TypeError', 'fetch failed') },
  { client: 'fetch', ...dropped('half-stream', 'TypeError', 'terminated') },
  {
    client: 'fetch',
    way: 'silent',
    details: plain('TimeoutError', 'The operation was aborted due to timeout'),
    kind: 'transport_timeout',
  },
];

function addressOf(way: Case['way']): string {
  if (way === 'refused') return refused;
  if (way !== 'other') return of(way);
  const address = other.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe('sdkErrorDetails of real errors', () => {
  it.each(CASES)('$client, $way', async ({ client, way, details, kind }) => {
    const error = await errorOf(() => clients[client](addressOf(way), way === 'silent' ? 40 : undefined));
    expect(sdkErrorDetails(error)).toEqual(details);
    expect(transportEvidence(error)?.kind).toBe(kind);
    const chain = [...explicitCauses(error)].map(sdkErrorDetails);
    // The network's own error says what happened, wherever it stands.
    if (kind === 'transport_unreachable') expect(chain.at(-1)?.message).toContain('ECONNREFUSED');
    expect(JSON.stringify(chain)).not.toMatch(/4b1dfa11|nobody may see/);
  });

  it('knows OpenAI’s timeout by its class, which has neither code nor name', async () => {
    expect(isTimeout(await errorOf(() => clients.openai(of('silent'), 40)))).toBe(true);
    expect(isTimeout(await errorOf(() => clients.openai(refused)))).toBe(false);
  });

  it('masks credentials in an address that a message quotes', async () => {
    const url = `${of('broken').replace('//', '//user:hunter2@')}?key=AIzaSyD-1234567890abcdefghijklmnopqrs&alt=sse`;
    const { message } = sdkErrorDetails(await errorOf(() => got(url, { retry: { limit: 0 } })));
    expect(message).toContain('/broken/any/v1?key=***&alt=sse');
    expect(message).not.toContain('hunter2');
  });

  it('system errors', async () => {
    const missing = await errorOf(() => readFile('/nonexistent'));
    expect(sdkErrorDetails(missing)).toEqual(plain('Error', "ENOENT: no such file or directory, open '/nonexistent'"));
    const [port, host] = [Number(new URL(refused).port), '127.0.0.1'];
    const foreign = connect({ port, host, localAddress: '203.0.113.9' });
    const [noAddress] = await once(foreign, 'error', { signal: AbortSignal.timeout(5000) }).catch((e) => [e]);
    expect(sdkErrorDetails(noAddress).message).toContain('EADDRNOTAVAIL');
    expect(transportEvidence(noAddress)?.kind).toBe('transport_local_resource');
    const nowhere = await errorOf(() => fetch('http://nowhere.invalid'));
    expect(transportEvidence(nowhere)?.kind).toBe('transport_unreachable');
    const noTls = await errorOf(() => fetch(server.origin.replace('http:', 'https:')));
    expect(transportEvidence(noTls)?.kind).toBe('transport_unreachable');
  });

  it('an AggregateError, with a message of its own and without', async () => {
    const any = await errorOf(() => Promise.any([Promise.reject(new Error('one'))]));
    expect(sdkErrorDetails(any)).toEqual(plain('AggregateError', 'All promises were rejected'));
    const socket = connect({
      port: Number(new URL(refused).port),
      host: 'two.addresses',
      autoSelectFamily: true,
      lookup: (_host, _options, done) =>
        done(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '127.0.0.2', family: 4 },
        ]),
    });
    const [error] = await once(socket, 'error').catch((e) => [e]);
    expect(sdkErrorDetails(error)).toEqual(
      plain(
        'AggregateError',
        expect.stringMatching(/ECONNREFUSED 127\.0\.0\.1:\d+; connect ECONNREFUSED 127\.0\.0\.2/),
      ),
    );
    expect(transportEvidence(error)).toMatchObject({ kind: 'transport_unreachable', link: error });
    const uncoded = new AggregateError([error.errors[0]]);
    expect(transportEvidence(uncoded)?.kind).toBe('transport_unreachable');
  });

  it('a ZodError, which does not quote the value', async () => {
    const error = await errorOf(() => z.object({ key: z.number() }).parse({ key: KEY }));
    expect(sdkErrorDetails(error)).toEqual(
      plain('ZodError', expect.stringContaining('Invalid input: expected number, received string')),
    );
    expect(sdkErrorDetails(error).message).not.toContain(KEY);
  });

  it('aborts, which are no failures of transport', async () => {
    const signal = AbortSignal.abort();
    const thrown = [
      await errorOf(() => fetch(of('silent'), { signal })),
      await errorOf(() => axios.get(of('silent'), { signal })),
      await errorOf(() => undici.request(of('silent'), { signal })),
      await errorOf(() => got(of('silent'), { signal, retry: { limit: 0 } })),
    ];
    for (const error of thrown) {
      expect(isAbort(error, undefined)).toBe(true);
      expect(transportEvidence(error)).toBeUndefined();
    }
    const reason = new Error('no more');
    expect(isAbort(reason, AbortSignal.abort(reason))).toBe(true);
    expect(isAbort(reason, AbortSignal.abort(new Error('another')))).toBe(false);
  });
});
