import { once } from 'node:events';
import { createServer, IncomingMessage, request } from 'node:http';
import axios, { AxiosHeaders } from 'axios';
import got from 'got';
import { request as undiciRequest } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FailureHeader } from '../../src/index.ts';
import { type HeadersLike, headerValues } from '../../src/transport/headers-like.ts';
import { boom, HOSTILE } from '../support/hostile-values.ts';

const NAME = FailureHeader.NAME;

describe('headerValues', () => {
  it.each<[what: string, headers: HeadersLike, values: string[]]>([
    ['a plain object', { 'x-ng-FAILURE-report': 'a', other: 'b' }, ['a']],
    ['arrays and numbers', { 'x-ng-failure-report': ['a', 'b'], 'content-length': 3 }, ['a', 'b']],
    ['undefined values', { 'x-ng-failure-report': undefined }, []],
    ['several names that differ in case', { 'X-NG-Failure-Report': 'a', 'x-ng-failure-report': 'b' }, ['a', 'b']],
    ['a Map', new Map([['X-NG-FAILURE-REPORT', ['a', 'b']]]), ['a', 'b']],
    [
      'pairs',
      [
        ['other', 'x'],
        ['x-ng-failure-report', 'a'],
        [NAME, 'b'],
      ],
      ['a', 'b'],
    ],
    ['a Headers', new Headers({ [NAME]: 'a' }), ['a']],
    ['the headers of axios', new AxiosHeaders({ [NAME]: 'a' }), ['a']],
  ])('reads %s', (_what, headers, values) => {
    expect(headerValues(headers, NAME)).toEqual(values);
  });

  it('ends with an iterable that does not', () => {
    const endless: HeadersLike = {
      *[Symbol.iterator]() {
        yield [NAME, 'a'] as const;
        for (;;) yield ['other', 'b'] as const;
      },
    };
    expect(headerValues(endless, NAME)).toEqual(['a']);
  });

  it('has none in what is no headers', () => {
    const none: unknown[] = [
      undefined,
      null,
      'x-ng-failure-report: a',
      7,
      [],
      {},
      [null, 7, 'ab', [], [7, 'x']],
      new Set([1]),
    ];
    for (const headers of none) expect(Reflect.apply(headerValues, undefined, [headers, NAME])).toEqual([]);
  });
});

describe('FailureHeader.decode never throws', () => {
  it.each(HOSTILE)('for %s', (_what, make) => {
    const decode = (given: unknown): unknown => Reflect.apply(FailureHeader.decode, undefined, [given]);
    for (const given of [make(), { [NAME]: make() }, [[NAME, make()]], [make()], { [Symbol.iterator]: make() }]) {
      expect(() => decode(given)).not.toThrow();
    }
  });

  it('for headers that break while they are read', () => {
    const breaking = {
      get 'x-ng-failure-report'(): never {
        return boom();
      },
    };
    expect(FailureHeader.decode(breaking)?.toJSON()).toEqual({ omitted: true });
  });
});

describe('the headers of real replies', () => {
  const report = '{"omitted":true}';
  let base: string;
  const server = createServer((_request, response) => {
    response.appendHeader(NAME, report).end('x');
  });
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`;
  });
  afterAll(() => server.close());

  const clients: [name: string, headers: () => Promise<unknown>][] = [
    ['fetch', async () => (await fetch(base)).headers],
    ['undici.request', async () => (await undiciRequest(base)).headers],
    ['axios', async () => (await axios.get(base)).headers],
    ['got', async () => (await got(base)).headers],
    ['node:http', async () => (await nodeReply()).headers],
    ['node:http, headersDistinct', async () => (await nodeReply()).headersDistinct],
  ];

  async function nodeReply(): Promise<IncomingMessage> {
    const [reply]: unknown[] = await once(request(base).end(), 'response');
    if (!(reply instanceof IncomingMessage)) throw new Error('no reply');
    return reply.resume();
  }

  it.each(clients)('%s', async (_name, headers) => {
    const given = await headers();
    expect(Reflect.apply(FailureHeader.decode, undefined, [given])?.toJSON()).toEqual({ omitted: true });
  });
});
