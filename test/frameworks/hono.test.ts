import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { failureReports } from '../../src/frameworks/hono.ts';
import { FailureReport } from '../../src/records/failure-report.ts';
import { HEADER_NAME } from '../../src/records/wire.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { failRequest, observeFailure } from '../../src/transport/observe.ts';
import {
  describeContract,
  event,
  exchange,
  listen,
  pause,
  raisedDuring,
  reasons,
  type TestServer,
} from '../support/framework-contract.ts';
import { contractApp, passedOn } from '../support/hono-app.ts';

const open: TestServer[] = [];
beforeAll(() => {
  // Hono prints what it caught.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

function nodeServer(app: Hono): Server {
  const server = createAdaptorServer({ fetch: app.fetch });
  if (!('closeAllConnections' in server)) throw new Error('Not an HTTP/1 server');
  return server;
}

async function serve(app: Hono): Promise<TestServer> {
  const server = await listen(nodeServer(app));
  open.push(server);
  return server;
}

describeContract('hono on node-server', { start: (withAdapter) => listen(nodeServer(contractApp(withAdapter))) });

describe('hono on node-server', () => {
  it('names what onError answers, of the app and of an app below it', async () => {
    const below = new Hono();
    below.get('/event', () => {
      throw event('below');
    });
    below.onError((_error, c) => c.text('below', 503));
    const app = new Hono();
    app.use(failureReports());
    app.onError((_error, c) => c.text('fine after all'));
    app.route('/below', below);
    app.get('/event', () => {
      throw event('own');
    });
    const { port } = await serve(app);
    const [own, nested] = [await exchange(port, '/event'), await exchange(port, '/below/event')];
    expect([own.status, reasons(own.report)]).toEqual([200, ['own']]);
    expect([nested.status, reasons(nested.report)]).toEqual([503, ['below']]);
  });

  it('names what an onError itself throws', async () => {
    const app = new Hono();
    app.use(failureReports());
    app.onError((error) => {
      throw event('outer', error);
    });
    app.get('/event', () => {
      throw event('inner');
    });
    const { port } = await serve(app);
    const got = await exchange(port, '/event');
    expect(got.status).toBe(500);
    expect(reasons(got.report)).toContain('inner');
    expect(reasons(got.report)[0]).toBe('outer');
  });

  it('adds to the report of a reply that is passed on, and keeps its other headers', async () => {
    const upstream = await listen((_request, response) => {
      response.setHeader(HEADER_NAME, FailureHeader.encode(FailureReport.ofEvents(passedOn()))[HEADER_NAME] ?? '');
      response.setHeader('Set-Cookie', ['a=1', 'b=2']);
      response.end('from above');
    });
    open.push(upstream);
    const relay = (withAdapter: boolean): Hono => {
      const app = new Hono();
      if (withAdapter) app.use(failureReports());
      app.get('/', async () => {
        observeFailure(event('attempt'));
        return fetch(`http://127.0.0.1:${upstream.port}/`);
      });
      return app;
    };
    const bare = await exchange((await serve(relay(false))).port, '/');
    const got = await exchange((await serve(relay(true))).port, '/');
    expect(got.bytes).toBe(bare.bytes);
    expect(got.bytes).toMatch(/a=1.*b=2.*from above/s);
    expect(reasons(bare.report)).toEqual(['passed on']);
    expect(reasons(got.report)).toEqual(['passed on', 'attempt']);
  });

  it('lets an event stream pass, and takes what its callback names after the headers left', async () => {
    const streaming = (withAdapter: boolean): Hono => {
      const app = new Hono();
      if (withAdapter) app.use(failureReports());
      app.get('/', (c) => {
        observeFailure(event('attempt'));
        return streamSSE(
          c,
          async (stream) => {
            await stream.writeSSE({ data: 'one' });
            await pause();
            throw event('late');
          },
          async (error) => failRequest(error),
        );
      });
      return app;
    };
    const bare = await exchange((await serve(streaming(false))).port, '/');
    const { port } = await serve(streaming(true));
    const raised = await raisedDuring(async () => {
      const got = await exchange(port, '/');
      expect(got.bytes).toBe(bare.bytes);
      expect(got.bytes).toContain('data: one');
      expect(reasons(got.report)).toEqual(['none', 'attempt']);
    });
    expect(raised).toEqual(['late']);
  });

  it('serves http2, for which Node tells of no request', async () => {
    const server = createAdaptorServer({ fetch: contractApp(true).fetch, createServer: createHttp2Server });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const client = connect(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    const [headers] = await once(client.request({ ':path': '/slow/7' }), 'response');
    client.destroy();
    server.close();
    expect(headers[':status']).toBe(500);
    expect(reasons(FailureHeader.decode({ [HEADER_NAME]: headers[HEADER_NAME.toLowerCase()] }))).toEqual([
      'own 7',
      'attempt 7',
    ]);
  });

  it('acts once when it is registered twice', async () => {
    const app = new Hono();
    app.use(failureReports());
    app.use(failureReports());
    app.get('/', () => {
      throw event('own');
    });
    const { port } = await serve(app);
    const raised = await raisedDuring(async () => {
      expect(reasons((await exchange(port, '/')).report)).toEqual(['own']);
    });
    expect(raised).toEqual(['own']);
  });
});
