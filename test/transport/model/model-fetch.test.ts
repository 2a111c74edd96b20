import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import OpenAI from 'openai';
import * as undici from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureReportFor } from '../../../src/failures/cause-chain.ts';
import { NgFailureEvent } from '../../../src/failures/ng-failure-event.ts';
import type { FailureEvent } from '../../../src/records/failure-event.ts';
import { FailureHeader } from '../../../src/transport/header.ts';
import { observedFetch } from '../../../src/transport/model/observed-fetch.ts';
import { RequestFailureLog } from '../../../src/transport/request-log.ts';
import { type FailingServer, failingServer, refusingOrigin, type Way } from '../../support/failing-server.ts';

let server: FailingServer;
let key = 0;
beforeAll(async () => {
  server = await failingServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const BODY = { method: 'POST', body: '{"model":"gpt-x","input":"hi"}' };

function url(way: Way, path = '/responses'): string {
  key += 1;
  return server.address(way, `k${key}`) + path;
}

/** What is in a request's log after `fn`, and a moment later. */
async function eventsOf(fn: () => Promise<unknown>): Promise<FailureEvent[]> {
  return RequestFailureLog.capture(async (log) => {
    await fn();
    await new Promise((later) => setTimeout(later, 20));
    return [...log.report.events.values()];
  });
}

async function serving<T>(listener: RequestListener, fn: (origin: string) => Promise<T>): Promise<T> {
  const own = createServer(listener).listen(0, '127.0.0.1');
  await once(own, 'listening');
  const address = own.address();
  try {
    return await fn(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
  } finally {
    own.closeAllConnections();
    own.close();
  }
}

describe('observedFetch', () => {
  it('makes one model event of an attempt that fails with a status', async () => {
    const address = url('flaky');
    const [event, ...others] = await eventsOf(async () => {
      expect((await observedFetch(address, BODY)).status).toBe(503);
      expect((await observedFetch(address, BODY)).status).toBe(200);
    });
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      boundary: 'model',
      failure_kind: 'provider_unavailable',
      failure_reason: `POST ${address} answered 503 (server_error)`,
      operation: 'responses',
      http_status: 503,
      details: { model: 'gpt-x', request_id: 'req-7', provider_code: 'server_error', retry_after_s: 0.001 },
    });
    expect(event?.details?.elapsed_ms).toBeGreaterThanOrEqual(0);
    expect(Object.keys(event?.details ?? {})).not.toContain('attempt');
  });

  it.each([
    ['rate', 'provider_unavailable', 429],
    ['quota', 'provider_quota_exhausted', 429],
    ['broken', 'provider_unavailable', 500],
    ['rejected', 'model_client:request_rejected', 400],
  ] as const)('names what a status says: %s', async (way, kind, status) => {
    const [event] = await eventsOf(() => observedFetch(url(way), BODY));
    expect(event).toMatchObject({ failure_kind: kind, http_status: status });
  });

  // The event waits 100 ms at most: on a machine that sleeps longer than that in between, it is there already.
  it('waits with the event, not with the reply, for a quota code that comes after the headers', {
    retry: 5,
  }, async () => {
    await RequestFailureLog.capture(async (log) => {
      const response = await observedFetch(url('late-quota'), BODY);
      expect(log.report.isEmpty).toBe(true);
      await response.text();
      expect([...log.report.events.values()]).toMatchObject([{ failure_kind: 'provider_quota_exhausted' }]);
    });
  });

  it('describes a 429 whose body never comes, or is not wanted, by what is known', async () => {
    const silent: RequestListener = (_req, res) => res.writeHead(429).flushHeaders();
    await serving(silent, async (origin) => {
      const unread = await eventsOf(async () => {
        await observedFetch(`${origin}/v1/messages`, BODY);
        await new Promise((later) => setTimeout(later, 150));
      });
      expect(unread).toMatchObject([{ failure_kind: 'provider_unavailable', operation: 'messages' }]);
      const cancelled = await eventsOf(async () => (await observedFetch(origin, BODY)).body?.cancel());
      expect(cancelled).toMatchObject([{ failure_kind: 'provider_unavailable', http_status: 429 }]);
    });
  });

  it('reads a code in a body that is compressed', async () => {
    const body = gzipSync('{"error":{"code":"insufficient_quota"}}');
    const listener: RequestListener = (_req, res) => res.writeHead(429, { 'content-encoding': 'gzip' }).end(body);
    const [event] = await serving(listener, (origin) =>
      eventsOf(async () => expect(await (await observedFetch(origin)).json()).toHaveProperty('error')),
    );
    expect(event?.details).toMatchObject({ provider_code: 'insufficient_quota' });
  });

  it('names what broke a connection, with the error as cause', async () => {
    const refused = await refusingOrigin();
    const errors: unknown[] = [];
    const events = await eventsOf(async () => {
      for (const address of [`${refused}/v1/responses`, url('reset'), 'http://nowhere.invalid/v1/responses']) {
        await observedFetch(address, BODY).catch((error) => errors.push(error));
      }
    });
    expect(events).toMatchObject([
      { failure_kind: 'transport_unreachable', foreign_error: { exception_type: 'Error' } },
      { failure_kind: 'transport_peer_drop' },
      { failure_kind: 'transport_unreachable' },
    ]);
    expect(events[0]?.failure_reason).toMatch(/^POST http:.*\/v1\/responses failed: connect ECONNREFUSED/);
    expect(events[0]?.foreign_error?.message).toContain('ECONNREFUSED');
    expect(events.every((event) => event.http_status === undefined)).toBe(true);
    expect(errors).toHaveLength(3);
    for (const error of errors) expect(error).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
  });

  it.each(['cut', 'half-stream'] as const)('sees a reply that breaks off while it is read: %s', async (way) => {
    const [event, ...others] = await eventsOf(async () => {
      const response = await observedFetch(url(way, '/chat/completions'), BODY);
      await expect(response.text()).rejects.toThrow('terminated');
    });
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      failure_kind: 'transport_peer_drop',
      operation: 'chat_completions',
      http_status: 200,
    });
    expect(event?.failure_reason).toMatch(/broke off in the reply: (?:other side closed|read ECONNRESET)/);
  });

  it('tells an own clock from the caller’s wish', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const reason = new Error('changed my mind');
    const other = new AbortController();
    setTimeout(() => other.abort(reason), 20);
    const events = await eventsOf(async () => {
      const calls = [controller.signal, other.signal, AbortSignal.timeout(20)].map((signal) =>
        observedFetch(url('silent'), { ...BODY, signal }).catch((error: unknown) => error),
      );
      const [aborted, wished, late] = await Promise.all(calls);
      expect(aborted).toMatchObject({ name: 'AbortError' });
      expect(wished).toBe(reason);
      expect(late).toMatchObject({ name: 'TimeoutError' });
    });
    expect(events).toMatchObject([{ failure_kind: 'transport_timeout' }]);
  });

  it('takes a reader that gives a reply up for no failure', async () => {
    const stream: RequestListener = (_req, res) => void res.writeHead(200).write('data: 1\n\n');
    await serving(stream, async (origin) => {
      const events = await eventsOf(async () => {
        await (await observedFetch(origin)).body?.cancel();
        const controller = new AbortController();
        const response = await observedFetch(origin, { signal: controller.signal });
        setTimeout(() => controller.abort(), 20);
        await expect(response.text()).rejects.toMatchObject({ name: 'AbortError' });
      });
      expect(events).toEqual([]);
      const late = await eventsOf(async () => {
        const response = await observedFetch(origin, { signal: AbortSignal.timeout(30) });
        await expect(response.text()).rejects.toMatchObject({ name: 'TimeoutError' });
      });
      expect(late).toMatchObject([{ failure_kind: 'transport_timeout', http_status: 200 }]);
    });
  });

  it('knows the time limit of a Stainless client from its request', async () => {
    const events = await eventsOf(async () => {
      const client = new OpenAI({
        apiKey: 'none',
        baseURL: url('silent', ''),
        fetch: observedFetch,
        maxRetries: 0,
      });
      const call = (timeout: number, signal?: AbortSignal) =>
        client.responses.create({ model: 'gpt-x', input: 'hi' }, { timeout, signal }).catch((error: unknown) => error);
      const [limit, wish, unclear] = await Promise.all([call(1000), call(5000, AbortSignal.timeout(20)), call(40)]);
      expect(limit).toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
      expect(wish).toBeInstanceOf(OpenAI.APIUserAbortError);
      expect(unclear).toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
    });
    expect(events.map((event) => event.failure_kind)).toEqual(['cancelled', 'transport_timeout']);
    expect(events[1]?.details).toMatchObject({ attempt: 1, model: 'gpt-x' });
  });

  it('links a failure that the reply reports as the cause, each event once', async () => {
    const remote = new NgFailureEvent({
      boundary: 'model',
      failureKind: 'provider_unavailable',
      failureReason: 'engine died',
      cause: new NgFailureEvent({ boundary: 'model', failureKind: 'provider_oom_killed', failureReason: 'oom' }),
    });
    const headers = FailureHeader.encode(failureReportFor(remote));
    await serving(
      (req, res) => res.writeHead(req.url === '/fine' ? 200 : 500, headers).end('"Internal Server Error"'),
      async (origin) => {
        const failed = await eventsOf(() => observedFetch(`${origin}/v1/responses`));
        expect(failed).toHaveLength(3);
        expect(failed.find((event) => event.operation === 'responses')).toMatchObject({
          cause_id: remote.eventId,
          http_status: 500,
        });
        const fine = await eventsOf(() => observedFetch(`${origin}/fine`));
        expect(fine.map((event) => event.failure_kind).sort()).toEqual(['provider_oom_killed', 'provider_unavailable']);
      },
    );
  });

  it('leaves arguments, Response, error and body as they are', async () => {
    const init = { method: 'POST', body: '{}', headers: { a: 'b' } };
    const response = new Response('{"error":{"code":"insufficient_quota"}}', { status: 429 });
    const seen: unknown[][] = [];
    const spy = observedFetch.with({
      fetch: async (...args) => {
        seen.push(args);
        return response;
      },
    });
    const events = await eventsOf(async () => expect(await spy('http://h/v1/messages', init)).toBe(response));
    expect(response.bodyUsed).toBe(false);
    expect(seen[0]?.[1]).toBe(init);
    expect(events).toMatchObject([{ failure_kind: 'provider_unavailable', http_status: 429, operation: 'messages' }]);
    const odd = { cause: 'text' };
    const thrower = observedFetch.with({ fetch: () => Promise.reject(odd) });
    const thrown = await eventsOf(async () => expect(await thrower('http://h/').catch((error) => error)).toBe(odd));
    expect(thrown).toMatchObject([{ failure_kind: 'model_client:request_failed' }]);
  });

  it('takes what is not a Response, and a URL that is none', async () => {
    const odd = { ok: true } as unknown as Response;
    const mock = observedFetch.with({ fetch: async () => odd });
    expect(await eventsOf(async () => expect(await mock('nowhere')).toBe(odd))).toEqual([]);
    const [event] = await eventsOf(() => observedFetch('nowhere').catch(() => undefined));
    expect(event?.failure_reason).toBe('GET to the model failed: Failed to parse URL from nowhere');
  });

  it('takes options, one over another, and fetches of undici’s own package', async () => {
    const own = observedFetch.with({ model: 'mine', operation: 'x' }).with({
      operation: 'y',
      fetch: undici.fetch as unknown as typeof fetch,
    });
    const [event] = await eventsOf(async () => (await own(url('quota'), BODY)).text());
    expect(event).toMatchObject({
      failure_kind: 'provider_quota_exhausted',
      operation: 'y',
      details: { model: 'mine', provider_code: 'insufficient_quota' },
    });
  });

  it('keeps requests apart that share sockets', async () => {
    const agent = new undici.Agent({ connections: 1 });
    const one = observedFetch.with({
      fetch: (input, init) => undici.fetch(input as string, { ...init, dispatcher: agent } as never) as never,
    });
    const ways = ['broken', 'fine', 'half-stream', 'quota', 'fine', 'rate'] as const;
    const all = await Promise.all(
      ways.map((way) =>
        eventsOf(async () => {
          const response = await one(url(way), BODY);
          await response.text().catch(() => undefined);
        }),
      ),
    );
    expect(all.map((events) => events.map((event) => event.failure_kind))).toEqual([
      ['provider_unavailable'],
      [],
      ['transport_peer_drop'],
      ['provider_quota_exhausted'],
      [],
      ['provider_unavailable'],
    ]);
    await agent.close();
  });

  it('makes one event of a failing reply that breaks off as well', async () => {
    const listener: RequestListener = (req, res) => {
      res.writeHead(500, { 'content-length': 100 }).write('{');
      setTimeout(() => req.socket.destroy(), 20);
    };
    await serving(listener, async (origin) => {
      const events = await eventsOf(async () => {
        await expect((await observedFetch(origin)).text()).rejects.toThrow('terminated');
      });
      expect(events).toMatchObject([{ failure_kind: 'provider_unavailable', http_status: 500 }]);
    });
  });

  it('hears only of the request whose reply it gave', async () => {
    const open: RequestListener = (_req, res) => void res.writeHead(200).write('x');
    await serving(open, async (origin) => {
      const retrying = observedFetch.with({
        fetch: async (_input, init) => {
          await fetch(url('half-stream'), init);
          return fetch(origin);
        },
      });
      const recovered = await eventsOf(async () => {
        const response = await retrying('http://h/', BODY);
        await new Promise((broken) => setTimeout(broken, 300));
        await response.body?.cancel();
      });
      expect(recovered).toEqual([]);
      const busy = observedFetch.with({
        fetch: async (...args) => {
          const response = await fetch(...args);
          setTimeout(() => void fetch(url('fine')).then((later) => later.text()), 20);
          return response;
        },
      });
      const broken = await eventsOf(async () => {
        await expect((await busy(url('half-stream'), BODY)).text()).rejects.toThrow('terminated');
      });
      expect(broken).toMatchObject([{ failure_kind: 'transport_peer_drop' }]);
    });
  });

  it('does not read a failing reply ahead of its reader', async () => {
    let sent = false;
    const listener: RequestListener = (_req, res) => {
      res.writeHead(500).end(Buffer.alloc(32 << 20), () => {
        sent = true;
      });
    };
    await serving(listener, async (origin) => {
      const [event] = await eventsOf(async () => {
        const response = await observedFetch(origin);
        await new Promise((later) => setTimeout(later, 800));
        expect(sent).toBe(false);
        expect((await response.arrayBuffer()).byteLength).toBe(32 << 20);
      });
      expect(event).toMatchObject({ http_status: 500 });
      expect(event?.details).not.toHaveProperty('provider_code');
    });
  });

  it('works outside of a request', async () => {
    expect((await observedFetch(url('broken'), BODY)).status).toBe(500);
    await expect(observedFetch(await refusingOrigin())).rejects.toThrow('fetch failed');
  });
});
