import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import * as undici from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';
import { FAILURES_CHANNEL, type FailuresObserved } from '../../src/transport/announce.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { CALLS } from '../support/http-calls.ts';
import { reportOf } from '../support/http-failures.ts';
import { portOf } from '../support/http-raw.ts';
import { eventually } from '../support/otel-spans.ts';

const headerOf = (...ids: string[]): string => FailureHeader.encode(reportOf(...ids))[FailureHeader.NAME] ?? '';
const terminalEvent = (id: string): string =>
  `data: ${JSON.stringify({ type: 'response.failed', [FailureHeader.STREAM_FIELD]: reportOf(id).toJSON() })}\n\n`;
const FILLER = 'data: {"type":"response.output_text.delta","delta":"…"}\n\n';

type Route = (res: http.ServerResponse, id: string, req: http.IncomingMessage) => unknown;

/** What the peer answers under each path; the id comes in the query. */
const ROUTES: Record<string, Route> = {
  '/report': (res, id) => res.setHeader('x-ng-failure-report', headerOf(id)).end('fine'),
  '/error': (res, id) => res.writeHead(503, { 'X-NG-FAILURE-REPORT': headerOf(id) }).end('no'),
  '/none': (res) => res.end('fine'),
  '/twice': (res, id) => res.setHeader(FailureHeader.NAME, [headerOf(id), headerOf(`${id}-2`)]).end('fine'),
  '/invalid': (res) => res.setHeader(FailureHeader.NAME, '{').end('fine'),
  '/hints': (res, id) =>
    res.writeEarlyHints({ link: '</a>; rel=preload', [FailureHeader.NAME]: headerOf('hinted') }, () =>
      res.setHeader(FailureHeader.NAME, headerOf(id)).end('fine'),
    ),
  '/redirect': (res, id) =>
    res.writeHead(307, { location: `/report?id=${id}-2`, [FailureHeader.NAME]: headerOf(id) }).end(),
  '/slow': (res, id) =>
    setTimeout(() => res.setHeader(FailureHeader.NAME, headerOf(id)).end('fine'), Math.random() * 20),
  '/stream': async (res, id) => {
    res.writeHead(200, { 'Content-Type': 'Text/Event-Stream; charset=utf-8', [FailureHeader.NAME]: headerOf(id) });
    for (const part of [FILLER, FILLER.slice(0, 20), FILLER.slice(20), terminalEvent(`${id}-end`)]) {
      res.write(part);
      await delay(1);
    }
    res.end('data: [DONE]\n\n');
  },
  '/stream-cut': async (res, id) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(FILLER + terminalEvent(id));
    await delay(10);
    res.destroy();
  },
  '/stream-open': (res, id) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(FILLER + terminalEvent(id));
  },
  '/stream-gzip': (res, id) =>
    res
      .writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      .end(gzipSync(terminalEvent(id))),
  '/stream-json': (res, id) => res.writeHead(200, { 'content-type': 'application/json' }).end(terminalEvent(id)),
};

const peer = http.createServer((req, res) => {
  const url = new URL(req.url ?? '', 'http://x');
  req.resume();
  ROUTES[url.pathname]?.(res, url.searchParams.get('id') ?? '', req);
});

let instrumentation: NgFailureInstrumentation;
let announced: FailuresObserved[] = [];
/** The peer serves in this process too, and what it puts on its replies is announced as its own. */
const onFailures = (message: unknown): void => {
  const observed = message as FailuresObserved;
  if (observed.origin !== 'raised') announced.push(observed);
};

beforeEach(async () => {
  peer.listen(0, '127.0.0.1');
  await once(peer, 'listening');
  announced = [];
  instrumentation = new NgFailureInstrumentation();
  FAILURES_CHANNEL.subscribe(onFailures);
});
afterEach(async () => {
  FAILURES_CHANNEL.unsubscribe(onFailures);
  instrumentation.disable();
  peer.closeAllConnections();
  await new Promise((resolve) => peer.close(resolve));
});

const url = (path: string, id: string): string => `http://127.0.0.1:${portOf(peer)}${path}?id=${id}`;
const idsIn = (log: RequestFailureLog): string[] => [...log.report.events.keys()];

for (const [client, call] of Object.entries(CALLS)) {
  describe(client, () => {
    it('observes the report of each reply into the log of the request that made the call', async () => {
      await RequestFailureLog.capture(async (log) => {
        expect(await call(url('/report', 'a'))).toEqual({ status: 200, body: Buffer.from('fine') });
        expect(await call(url('/error', 'b'))).toMatchObject({ status: 503 });
        expect(await call(url('/none', 'c'))).toMatchObject({ status: 200 });
        expect(idsIn(log)).toEqual(['a', 'b']);
        expect(announced.map(({ origin, log: of }) => [origin, of === log])).toEqual([
          ['forwarded', true],
          ['forwarded', true],
        ]);
      });
    });

    it('has it in the log by the time the caller sees the body’s end', async () => {
      await RequestFailureLog.capture(async (log) => {
        await call(url('/stream', 's'));
        expect(idsIn(log)).toEqual(['s', 's-end']);
      });
    });

    it('merges repeated headers, and an invalid one reads as omitted', async () => {
      await RequestFailureLog.capture(async (log) => {
        await call(url('/twice', 'a'));
        expect([idsIn(log), log.report.omitted]).toEqual([['a', 'a-2'], false]);
        await call(url('/invalid', 'b'));
        expect(log.report.omitted).toBe(true);
      });
    });

    it('waits for the reply after early hints', async () => {
      await RequestFailureLog.capture(async (log) => {
        await call(url('/hints', 'a'));
        expect(idsIn(log)).toEqual(['a']);
      });
    });

    it('only announces what no request asked for', async () => {
      await call(url('/report', 'alone'));
      expect(announced.map(({ log, report }) => [log, [...report.events.keys()]])).toEqual([[undefined, ['alone']]]);
    });

    it('keeps the logs of 24 requests in flight apart', async () => {
      const paths = ['/slow', '/stream', '/none'];
      const one = (index: number) =>
        RequestFailureLog.capture(async (log) => {
          const path = paths[index % paths.length] ?? '';
          await call(url(path, `r${index}`));
          await call(url('/slow', `r${index}-again`));
          return idsIn(log);
        });
      const logs = await Promise.all(Array.from({ length: 24 }, (_, index) => one(index)));
      for (const [index, ids] of logs.entries()) {
        const own = [[`r${index}`], [`r${index}`, `r${index}-end`], []][index % paths.length] ?? [];
        expect(ids).toEqual([...own, `r${index}-again`]);
      }
    });

    it('reads what a stream told before its peer cut it, and the caller still learns of the cut', async () => {
      await RequestFailureLog.capture(async (log) => {
        await expect(call(url('/stream-cut', 'cut'))).rejects.toThrow();
        await eventually(() => log.report.events.has('cut'), 'the report of the cut stream');
      });
    });

    it('leaves encoded streams and other bodies alone', async () => {
      await RequestFailureLog.capture(async (log) => {
        await call(url('/stream-gzip', 'zipped'));
        await call(url('/stream-json', 'json'));
        expect(log.report.isEmpty).toBe(true);
      });
    });

    it('hands on an event stream’s bytes unchanged', async () => {
      const expected = `${FILLER}${FILLER}${terminalEvent('s-end')}data: [DONE]\n\n`;
      expect((await call(url('/stream', 's'))).body.toString()).toBe(expected);
    });

    it('does nothing once it is disabled', async () => {
      instrumentation.disable();
      await RequestFailureLog.capture(async (log) => {
        await call(url('/stream', 'off'));
        expect([idsIn(log), announced]).toEqual([[], []]);
      });
    });

    it('with two instances one acts', async () => {
      const second = new NgFailureInstrumentation();
      try {
        await RequestFailureLog.capture(() => call(url('/stream', 'x')));
        expect(announced.map(({ report }) => [...report.events.keys()])).toEqual([['x'], ['x-end']]);
      } finally {
        second.disable();
      }
    });
  });
}

describe('a caller that gives up', () => {
  it.each([
    ['fetch', (address: string, signal: AbortSignal) => fetch(address, { signal })],
    ['undici.fetch', (address: string, signal: AbortSignal) => undici.fetch(address, { signal })],
  ])('%s: what the stream told before the abort counts, the abort itself is no failure', async (_, call) => {
    await RequestFailureLog.capture(async (log) => {
      const stop = new AbortController();
      const response = await call(url('/stream-open', 'before'), stop.signal);
      const reader = response.body?.getReader();
      await reader?.read();
      stop.abort();
      await expect(reader?.read()).rejects.toThrow(/abort/);
      await eventually(() => log.report.events.has('before'), 'the report of the aborted stream');
      expect(log.report.toJSON()).toEqual(reportOf('before').toJSON());
    });
  });

  it('fetch, cancelling the body', async () => {
    await RequestFailureLog.capture(async (log) => {
      const response = await fetch(url('/stream-open', 'before'));
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
      await eventually(() => log.report.events.has('before'), 'the report of the cancelled stream');
    });
  });

  it('http.get, destroying the reply', async () => {
    await RequestFailureLog.capture(async (log) => {
      const [response]: http.IncomingMessage[] = await once(http.get(url('/stream-open', 'before')), 'response');
      if (response !== undefined) await once(response, 'data');
      response?.destroy();
      await eventually(() => log.report.events.has('before'), 'the report of the destroyed stream');
    });
  });
});

describe('redirects', () => {
  it('fetch observes the reply of each hop', async () => {
    await RequestFailureLog.capture(async (log) => {
      await fetch(url('/redirect', 'hop'));
      expect(idsIn(log)).toEqual(['hop', 'hop-2']);
    });
  });
});

describe('a reply that nobody reads', () => {
  it('http: is discarded as without us, its header is observed', async () => {
    await RequestFailureLog.capture(async (log) => {
      const request = http.get(url('/stream', 'unread'));
      const closed = once(request, 'close');
      await closed;
      expect(log.report.events.has('unread')).toBe(true);
    });
  });

  it('http: a HEAD request', async () => {
    await RequestFailureLog.capture(async (log) => {
      const request = http.request(url('/report', 'head'), { method: 'HEAD' });
      request.end();
      const [response]: http.IncomingMessage[] = await once(request, 'response');
      response?.resume();
      expect(idsIn(log)).toEqual(['head']);
    });
  });

  it('http: an answer that comes before the request has been sent', async () => {
    await RequestFailureLog.capture(async (log) => {
      const request = http.request(url('/error', 'early'), { method: 'POST' });
      request.write('a part');
      const [response]: http.IncomingMessage[] = await once(request, 'response');
      response?.resume();
      request.end();
      expect(idsIn(log)).toEqual(['early']);
    });
  });
});
