import { createRequire } from 'node:module';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { failureReports } from '../../src/frameworks/express.ts';
import { event, exchange, listen, reasons, type TestServer } from '../support/framework-contract.ts';

const express4: typeof express = createRequire(import.meta.url)('express4');

async function serve(app: Express): Promise<TestServer> {
  const server = await listen(app);
  onTestFinished(() => server.close());
  return server;
}

/** An app in which our line stands before the routes. */
function newApp(make: typeof express): Express {
  // Express prints what nobody handled, in production.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const app = make();
  app.set('env', 'production');
  app.use(failureReports());
  return app;
}

const answer: ErrorRequestHandler = (_error, _request, response, _next) => void response.status(502).send('sorry');

describe.each([
  ['express 5', express],
  ['express 4', express4],
])('%s: the error handlers of an app', (_name, make) => {
  it('hears, from before the routes, what a router and a route answer themselves', async () => {
    const app = newApp(make);
    const router = make.Router();
    router.get('/', () => {
      throw event('router');
    });
    router.use(answer);
    app.use('/router', router);
    app.get(
      '/route',
      () => {
        throw event('route');
      },
      answer,
    );
    const { port } = await serve(app);
    for (const name of ['router', 'route']) {
      const got = await exchange(port, `/${name}`);
      expect([got.status, reasons(got.report)]).toEqual([502, [name]]);
    }
  });

  it('hears error handlers that are registered while it serves', async () => {
    const app = newApp(make);
    app.get('/', () => {
      throw event('own');
    });
    const { port } = await serve(app);
    expect((await exchange(port, '/')).status).toBe(500);
    app.get('/later', () => {
      throw event('later');
    });
    app.use(answer);
    const got = await exchange(port, '/later');
    expect([got.status, reasons(got.report)]).toEqual([502, ['later']]);
  });

  it('runs no layer twice while it finds its place among requests on their way', async () => {
    const calls: string[] = [];
    const app = make();
    app.set('env', 'production');
    app.use((request, _response, next) => {
      calls.push(request.url);
      setTimeout(next, request.url === '/slow' ? 60 : 0);
    });
    app.use(failureReports());
    app.get(['/slow', '/fast'], () => {
      throw event('own');
    });
    app.use(answer);
    const { port } = await serve(app);
    const got = await Promise.all([exchange(port, '/slow'), exchange(port, '/fast')]);
    expect(got.map(({ status, report }) => [status, reasons(report)])).toEqual([
      [502, ['own']],
      [502, ['own']],
    ]);
    expect(calls.sort()).toEqual(['/fast', '/slow']);
  });
});
