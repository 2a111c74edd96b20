import { EventEmitter, once } from 'node:events';
import http, { IncomingMessage, ServerResponse } from 'node:http';
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { NgFailureInstrumentation } from '../../../src/instrumentation/instrumentation.ts';
import { FailureReport } from '../../../src/records/failure-report.ts';
import { failRequest, observeFailure } from '../../../src/transport/observe.ts';
import { withFailureReports } from '../../../src/transport/reply/listener.ts';
import { RequestFailureLog } from '../../../src/transport/request-log.ts';
import { failure } from '../../support/http-failures.ts';
import { type Listener, portOf, type RawReply, rawReply, readRaw, withServer } from '../../support/http-raw.ts';

function ids(value: unknown): unknown[] {
  const report = FailureReport.parseText(String(value));
  return [report.failureId, ...report.events.keys()];
}

const replyFrom = async (server: http.Server): Promise<RawReply> =>
  readRaw(await withServer(server, (port) => rawReply(port)));

describe('a plain listener', () => {
  it('must be a function', () => {
    // @ts-expect-error a caller without types
    expect(() => withFailureReports({})).toThrow(/^withFailureReports: the listener is an object: give a function/);
  });

  it('has a log, and its reply the report', async () => {
    const listener = withFailureReports(async (_: IncomingMessage, res: ServerResponse) => {
      observeFailure(failure('a'));
      await delay(1);
      failRequest(failure('own'));
      res.end();
    });
    expect(ids((await replyFrom(http.createServer(listener))).reports[0])).toEqual(['own', 'own', 'a']);
  });

  it.each([
    ['throws', () => Promise.reject(failure('broke'))],
    ['rejects with', async () => Promise.reject(failure('broke'))],
  ])('what it %s becomes the request’s own failure and goes on unchanged', async (how, fail) => {
    const thrown: unknown[] = [];
    const broke = failure('broke');
    const inner = withFailureReports((_req: IncomingMessage, _res: ServerResponse): Promise<void> => {
      if (how === 'throws') throw broke;
      return fail().catch(() => Promise.reject(broke));
    });
    const outer: Listener = async (req, res) => {
      try {
        await inner(req, res);
      } catch (error) {
        thrown.push(error);
        res.writeHead(500).end();
      }
    };
    expect(ids((await replyFrom(http.createServer(outer))).reports[0])).toEqual(['broke', 'broke']);
    expect(thrown).toHaveLength(1);
    expect(thrown[0]).toBe(broke);
  });

  it('that rejects is still answered by a server that captures rejections', async () => {
    EventEmitter.captureRejections = true;
    const server = http.createServer(withFailureReports(() => Promise.reject(failure('captured'))));
    EventEmitter.captureRejections = false;
    const { head, reports } = await replyFrom(server);
    expect([head[0], ...ids(reports[0])]).toEqual(['HTTP/1.1 500 Internal Server Error', 'captured', 'captured']);
  });

  it('gives back what it gave, and does not start a lazy thenable', () => {
    let started = false;
    const lazy = {
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
      then: () => {
        started = true;
      },
    };
    const request = new IncomingMessage(new Socket());
    const give = withFailureReports((_: IncomingMessage, __: ServerResponse, next: unknown) => [lazy, next]);
    expect(give(request, new ServerResponse(request), 'next')).toEqual([lazy, 'next']);
    const lazily = withFailureReports((_: IncomingMessage, __: ServerResponse) => lazy);
    expect(lazily(request, new ServerResponse(request))).toBe(lazy);
    expect(started).toBe(false);
  });

  it('keeps its this', () => {
    const request = new IncomingMessage(new Socket());
    const owner = {
      name: 'owner',
      listen: withFailureReports(function (this: unknown, _: IncomingMessage, __: ServerResponse) {
        return this;
      }),
    };
    expect(owner.listen(request, new ServerResponse(request))).toBe(owner);
  });

  it('without a socket the reply still has the header', () => {
    const request = new IncomingMessage(new Socket());
    const response = new ServerResponse(request);
    withFailureReports((_: IncomingMessage, res: ServerResponse) => {
      failRequest(failure('own'));
      res.end();
    })(request, response);
    expect(ids(response.getHeader('x-ng-failure-report'))).toEqual(['own', 'own']);
  });

  it('where the instrumentation serves already there is one log and one header', async () => {
    const instrumentation = new NgFailureInstrumentation();
    try {
      const logs = new Set<unknown>();
      const inner = withFailureReports((_: IncomingMessage, res: ServerResponse) => {
        logs.add(RequestFailureLog.current());
        observeFailure(failure('inner'));
        res.end();
      });
      const server = http.createServer((req, res) => {
        logs.add(RequestFailureLog.current());
        observeFailure(failure('outer'));
        withFailureReports(inner)(req, res);
      });
      const { reports } = await replyFrom(server);
      expect([reports.length, logs.size, ...ids(reports[0])]).toEqual([1, 1, undefined, 'outer', 'inner']);
    } finally {
      instrumentation.disable();
    }
  });

  it('that answers a request which cannot be marked answers all the same', () => {
    const request = Object.freeze(new IncomingMessage(new Socket()));
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const listener = withFailureReports((_: IncomingMessage, res: ServerResponse) => res.end('fine'));
    expect(listener(request, response)).toBe(response);
    expect(response.headersSent).toBe(true);
  });

  it.each([0, 15, 5000, Number.NaN])('a limit of %s is not used', async (maxHeaderBytes) => {
    const long = failure('long', { failure_reason: 'r'.repeat(1900), operation: 'o'.repeat(2500) });
    const listener = withFailureReports(
      (_: IncomingMessage, res: ServerResponse) => {
        observeFailure(long);
        res.end();
      },
      { maxHeaderBytes },
    );
    expect((await replyFrom(http.createServer(listener))).reports).toEqual(['{"omitted":true}']);
  });
});

type Listener2 = (req: Http2ServerRequest, res: Http2ServerResponse) => unknown;

/** What an h2c server answers. */
async function http2Reply(listener: Listener2): Promise<{ headers: Record<string, unknown>; body: string }> {
  const server = http2.createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = http2.connect(`http://127.0.0.1:${portOf(server)}`);
  try {
    const stream = session.request({ ':path': '/', ':method': 'POST' });
    stream.end('a body');
    const [headers]: Record<string, unknown>[] = await once(stream, 'response');
    let body = '';
    for await (const chunk of stream.setEncoding('utf8')) body += chunk;
    return { headers: { ...headers, date: '-' }, body };
  } finally {
    session.close();
    server.close();
  }
}

describe('an http2 listener', () => {
  const WAYS_OUT: Record<string, Listener2> = {
    'end(text)': (_, res) => res.end('body'),
    'write, then end': (_, res) => {
      res.write('one');
      res.end('two');
    },
    flushHeaders: (_, res) => {
      // Node has it, its types do not.
      Reflect.apply(Reflect.get(res, 'flushHeaders'), res, []);
      setImmediate(() => res.end('late'));
    },
    'writeHead(status, object)': (_, res) => res.writeHead(500, { 'x-app': 'yes' }).end('no'),
    'writeHead(status, flat array)': (_, res) => {
      const headers: unknown = ['x-app', 'yes', 'set-cookie', 'a=1', 'set-cookie', 'b=2'];
      Reflect.apply(res.writeHead, res, [500, headers]);
      res.end('no');
    },
    'setHeader, then writeHead(status, pairs)': (_, res) => {
      res.setHeader('x-other', 'yes');
      const pairs: unknown = [
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
      ];
      Reflect.apply(res.writeHead, res, [500, pairs]);
      res.end('no');
    },
    'after early hints': (_, res) => {
      res.writeEarlyHints({ link: '</a.css>; rel=preload' });
      res.end('body');
    },
    '204': (_, res) => res.writeHead(204).end(),
    'a late body event': (req, res) => {
      req.resume();
      req.on('end', () => res.end('late'));
    },
  };

  for (const [way, listener] of Object.entries(WAYS_OUT)) {
    it(`${way}: one header, and the rest as without it`, async () => {
      const bare = await http2Reply(listener);
      const carried = await http2Reply(
        withFailureReports((req: Http2ServerRequest, res: Http2ServerResponse) => {
          observeFailure(failure('ours'));
          return listener(req, res);
        }),
      );
      const { 'x-ng-failure-report': value, ...others } = carried.headers;
      expect(ids(value)).toEqual([undefined, 'ours']);
      expect({ headers: others, body: carried.body }).toEqual(bare);
      expect(await http2Reply(withFailureReports(listener))).toEqual(bare);
    });
  }

  it('keeps its log in late body events', async () => {
    const { headers } = await http2Reply(
      withFailureReports((req: Http2ServerRequest, res: Http2ServerResponse) => {
        req.on('data', () => observeFailure(failure('in-data')));
        req.on('end', () => {
          observeFailure(failure('in-end'));
          res.end();
        });
      }),
    );
    expect(ids(headers['x-ng-failure-report'])).toEqual([undefined, 'in-data', 'in-end']);
  });
});
