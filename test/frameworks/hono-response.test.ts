import { createServer } from 'node:http';
// For its global Response, which node-server replaces.
import '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { failureReportFor } from '../../src/failures/cause-chain.ts';
import { type FailureReportsOptions, failureReports } from '../../src/frameworks/hono.ts';
import { FailureReport } from '../../src/records/failure-report.ts';
import { HEADER_NAME } from '../../src/records/wire.ts';
import { REPLY_CHANNEL, type ReplyReported } from '../../src/transport/announce.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { failRequest, observeFailure } from '../../src/transport/observe.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { event, listen, raisedDuring, reasons, type TestServer } from '../support/framework-contract.ts';
import { contractApp, passedOn } from '../support/hono-app.ts';

const open: TestServer[] = [];
beforeAll(() => {
  // Hono prints what it caught.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

/** A failure that is in the header that the app itself sets. */
const theirs = event('theirs');

/** What is announced of the replies' headers while `run` runs. */
async function sentDuring(run: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const onReply = (message: unknown) => void sent.push((message as ReplyReported).sent);
  REPLY_CHANNEL.subscribe(onReply);
  try {
    await run();
  } finally {
    REPLY_CHANNEL.unsubscribe(onReply);
  }
  return sent;
}

/** How a reply leaves on which the app itself has set the header. */
async function answered(options: FailureReportsOptions, header: string, act: () => void) {
  const app = new Hono();
  app.use(failureReports(options));
  app.get('/', (c) => {
    act();
    return c.text('ok', 200, { [HEADER_NAME]: header });
  });
  let got: string | null = null;
  const sent = await sentDuring(async () => {
    got = (await app.request('/')).headers.get(HEADER_NAME);
  });
  return { sent, got };
}

describe('hono without a Node server', () => {
  const report = (response: Response) => reasons(FailureHeader.decode(response.headers));

  it('sets the header on the response', async () => {
    const app = contractApp(true);
    const bare = contractApp(false);
    for (const [path, expected] of [
      ['/recovered', ['none', 'attempt']],
      ['/event', ['own']],
      ['/caused', ['own']],
      ['/plain', []],
      ['/teapot', ['own']],
      ['/nowhere', []],
    ] as const) {
      const [got, without] = [await app.request(path), await bare.request(path)];
      expect([got.status, await got.text()]).toEqual([without.status, await without.text()]);
      expect(report(got)).toEqual(expected);
      got.headers.delete(HEADER_NAME);
      expect([...got.headers]).toEqual([...without.headers]);
    }
  });

  it('keeps concurrent requests apart', async () => {
    const app = contractApp(true);
    const ids = Array.from({ length: 24 }, (_, id) => id);
    const got = await Promise.all(ids.map(async (id) => report(await app.request(`/slow/${id}`))));
    expect(got).toEqual(ids.map((id) => [`own ${id}`, `attempt ${id}`]));
  });

  it('adds to the report of a fetched response, whose headers cannot be changed', async () => {
    const upstream = await listen(
      createServer((_request, response) => {
        response.setHeader(HEADER_NAME, FailureHeader.encode(FailureReport.ofEvents(passedOn()))[HEADER_NAME] ?? '');
        response.end('from above');
      }),
    );
    open.push(upstream);
    const app = new Hono();
    app.use(failureReports(), failureReports());
    app.get('/', async () => {
      observeFailure(event('attempt'));
      return fetch(`http://127.0.0.1:${upstream.port}/`);
    });
    const got = await app.request('/');
    expect(await got.text()).toBe('from above');
    expect(report(got)).toEqual(['passed on', 'attempt']);
  });

  it('makes a response of its own where Hono cannot set the header, as early releases cannot on a fetched one', async () => {
    const app = new Hono();
    app.use(failureReports());
    app.use(async (c, next) => {
      await next();
      c.header = () => {
        throw new TypeError('immutable');
      };
    });
    app.get('/', (c) => {
      observeFailure(event('attempt'));
      return c.text('from above', 203, {
        'X-App': 'yes',
        ...FailureHeader.encode(FailureReport.ofEvents(passedOn())),
      });
    });
    const got = await app.request('/');
    expect([got.status, await got.text(), got.headers.get('X-App')]).toEqual([203, 'from above', 'yes']);
    expect(report(got)).toEqual(['passed on', 'attempt']);
  });

  it('announces the request’s own failure and leaves no log behind', async () => {
    const raised = await raisedDuring(async () => contractApp(true).request('/event'));
    expect(raised).toEqual(['own']);
    expect(RequestFailureLog.current()).toBeUndefined();
  });

  it('takes the last failure that is named before the response, and tells of no other', async () => {
    const app = new Hono();
    app.use(failureReports());
    app.get('/', () => {
      failRequest(event('first'));
      throw event('own');
    });
    const raised = await raisedDuring(async () => expect(report(await app.request('/'))).toEqual(['own']));
    expect(raised).toEqual(['own']);
  });

  it('acts once when it is registered twice', async () => {
    const app = new Hono();
    app.use(failureReports(), failureReports());
    app.get('/', () => {
      throw event('own');
    });
    const raised = await raisedDuring(async () => expect(report(await app.request('/'))).toEqual(['own']));
    expect(raised).toEqual(['own']);
  });

  it('tells of what fails while the body streams', async () => {
    const app = new Hono();
    app.use(failureReports());
    app.get('/', (c) =>
      streamSSE(c, async (stream) => {
        await stream.writeSSE({ data: 'one' });
        failRequest(event('late'));
      }),
    );
    const raised = await raisedDuring(async () => expect(await (await app.request('/')).text()).toContain('one'));
    expect(raised).toEqual(['late']);
  });

  it('leaves a handler that forgot its response to Hono', async () => {
    const forgetful = (withAdapter: boolean): Hono => {
      const app = new Hono();
      if (withAdapter) app.use(failureReports());
      // Beside a second handler, so that Hono composes both and asks for a response.
      app.use(async (_c, next) => {
        await next();
      });
      app.get('/', (async () => observeFailure(event('attempt'))) as never);
      return app;
    };
    const [bare, got] = [await forgetful(false).request('/'), await forgetful(true).request('/')];
    expect([got.status, await got.text()]).toEqual([bare.status, await bare.text()]);
    expect([got.status, report(got)]).toEqual([500, ['none', 'attempt']]);
  });

  it('announces each reply with what its header says', async () => {
    const app = new Hono();
    app.use('/small', failureReports({ maxHeaderBytes: 64 }));
    app.use(failureReports());
    app.get('*', (c) => {
      if (c.req.path !== '/fine') observeFailure(event('attempt'));
      return c.text('ok');
    });
    const sent = await sentDuring(async () => {
      for (const path of ['/', '/small', '/fine']) await app.request(path);
    });
    expect(sent).toEqual(['report', 'omitted']);
  });

  it.each([
    ['nothing to add', () => {}],
    ['only to add what it has', () => observeFailure(theirs)],
  ])('leaves the header that the app itself set as it was written, with %s', async (_, act) => {
    const odd = JSON.stringify(failureReportFor(theirs), undefined, 1).replaceAll('\n', '');
    const { sent, got } = await answered({ maxHeaderBytes: 64 }, odd, act);
    expect([sent, got]).toEqual([['report'], odd]);
  });

  it('announces what the app itself put on its reply as the reply’s own, and nothing that is known already', async () => {
    const value = FailureHeader.encode(failureReportFor(theirs))[HEADER_NAME] ?? '';
    expect(await raisedDuring(() => answered({}, value, () => {}))).toEqual(['theirs']);
    expect(await raisedDuring(() => answered({}, value, () => observeFailure(theirs)))).toEqual([]);
  });

  it('leaves the log of whoever calls the app alone', async () => {
    const [outer, got] = await RequestFailureLog.capture(async (log) => {
      const response = await contractApp(true).request('/event');
      return [log.replyReport(), report(response)] as const;
    });
    expect([outer.isEmpty, got]).toEqual([true, ['own']]);
  });

  it('takes bindings of other runtimes for what they are', async () => {
    const got = await contractApp(true).request('/event', {}, { incoming: 'a binding', outgoing: {} });
    expect(report(got)).toEqual(['own']);
  });

  it('holds the header to the limit it is given', async () => {
    const app = new Hono();
    app.use(failureReports({ maxHeaderBytes: 64 }));
    app.get('/', () => {
      throw event('own');
    });
    expect((await app.request('/')).headers.get(HEADER_NAME)).toBe('{"omitted":true}');
  });
});
