import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { runInNewContext } from 'node:vm';
import axios from 'axios';
import got from 'got';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SdkErrorDetails, sdkErrorDetails } from '../../src/index.ts';

class QuotaError extends Error {}
class Named extends Error {
  override name = 'NamedByHand';
}

describe('sdkErrorDetails', () => {
  it.each<[what: string, error: unknown, details: SdkErrorDetails]>([
    ['an Error', new Error('m'), { exception_type: 'Error', message: 'm' }],
    ['a class without a name of its own', new QuotaError('m'), { exception_type: 'QuotaError', message: 'm' }],
    ['a name set by hand', new Named('m'), { exception_type: 'NamedByHand', message: 'm' }],
    ['a DOMException', new DOMException('m', 'AbortError'), { exception_type: 'AbortError', message: 'm' }],
    [
      'an error of another realm',
      runInNewContext('new RangeError("m")'),
      { exception_type: 'RangeError', message: 'm' },
    ],
    ['a text', 'boom', { exception_type: 'string', message: 'boom' }],
    ['a number', 42, { exception_type: 'number', message: '42' }],
    ['null', null, { exception_type: 'null', message: 'null' }],
    ['nothing', undefined, { exception_type: 'undefined', message: 'undefined' }],
    ['a symbol', Symbol('s'), { exception_type: 'symbol', message: 'Symbol(s)' }],
    ['an integer', 10n, { exception_type: 'bigint', message: '10' }],
    ['a very long integer', 1n << 1_000_000n, { exception_type: 'bigint', message: 'a very long integer' }],
    ['a plain object', { message: 'm', status: 503 }, { exception_type: 'Object', message: 'm', http_status: 503 }],
    ['no prototype', Object.create(null), { exception_type: 'Object', message: '' }],
    [
      'a function',
      Object.assign(() => 1, { status: 418 }),
      { exception_type: 'Function', message: '', http_status: 418 },
    ],
    [
      'errors in one',
      new AggregateError([new Error('a'), new Error('b'), new Error('a')]),
      { exception_type: 'AggregateError', message: 'a; b' },
    ],
    [
      'only a code',
      Object.assign(new Error(), { code: 'ECONNRESET' }),
      { exception_type: 'Error', message: 'ECONNRESET' },
    ],
    [
      'a status that is none',
      { status: 'failed', statusCode: 42, response: { status: 502 } },
      { exception_type: 'Object', message: '', http_status: 502 },
    ],
    [
      'odd members',
      { name: 7, message: {}, status: 500.5, constructor: { name: [] } },
      { exception_type: 'Object', message: '' },
    ],
  ])('tells of %s', (_what, error, details) => {
    expect(sdkErrorDetails(error)).toEqual(details);
  });

  it('keeps type and message within bounds, well-formed, however long they are', () => {
    const error = new Error('😀'.repeat(5_000_000));
    error.name = '漢\ud800'.repeat(1_000_000);
    const { exception_type: type, message } = sdkErrorDetails(error);
    expect([...message]).toHaveLength(500);
    expect(message.endsWith('...[truncated]')).toBe(true);
    expect(message.isWellFormed() && type.isWellFormed()).toBe(true);
    expect([...type].length).toBeLessThanOrEqual(200);
  });
});

describe('the errors of real clients', () => {
  const SECRETS = /hunter2|sk-abcdefgh|the whole prompt|the answer so far/;
  const answer: RequestListener = (request, response) => {
    if (request.url?.includes('cut') === true) return void request.socket.destroy();
    response.writeHead(503, { 'content-type': 'application/json', 'set-cookie': 'sid=hunter2' });
    response.end('{"detail":"the answer so far"}');
  };
  let server: Server;
  let base: string;
  beforeAll(async () => {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterAll(() => server.close());

  const headers = { authorization: 'Bearer sk-abcdefghijkl' };
  const json = { prompt: 'the whole prompt' };
  const openai = (): OpenAI => new OpenAI({ apiKey: 'sk-abcdefghijkl', baseURL: base, maxRetries: 0 });
  const calls: [name: string, call: () => Promise<unknown>, type: RegExp, status: number | undefined][] = [
    ['axios, 503', () => axios.post(`${base}/?token=hunter2`, json, { headers }), /^AxiosError$/, 503],
    ['axios, cut', () => axios.post(`${base}/cut?token=hunter2`, json, { headers }), /^AxiosError$|^Error$/, undefined],
    ['got, 503', () => got.post(`${base}/?token=hunter2`, { json, headers, retry: { limit: 0 } }), /^HTTPError$/, 503],
    ['got, cut', () => got.post(`${base}/cut`, { json, headers, retry: { limit: 0 } }), /^RequestError$/, undefined],
    ['fetch, cut', () => fetch(`${base}/cut`, { headers }), /^TypeError$/, undefined],
    ['openai, cut', () => openai().post('/cut', { body: json }), /^APIConnectionError$/, undefined],
  ];

  it.each(calls)('%s', async (_name, call, type, status) => {
    const error = await call().then(
      () => expect.unreachable(),
      (reason: unknown) => reason,
    );
    const details = sdkErrorDetails(error);
    expect(details.exception_type).toMatch(type);
    expect(details.http_status).toBe(status);
    expect(details.message).not.toBe('');
    expect(JSON.stringify(details)).not.toMatch(SECRETS);
  });
});
