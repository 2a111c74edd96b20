import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import express, { type ErrorRequestHandler, type Express } from 'express';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { failureReports } from '../../src/frameworks/express.ts';
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

const open: TestServer[] = [];
beforeAll(() => {
  // Express prints what nobody handled, in production.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const express4: typeof express = createRequire(import.meta.url)('express4');

type Where = 'nowhere' | 'before the routes' | 'after the routes' | 'both';

async function serve(app: Express): Promise<TestServer> {
  const server = await listen(app);
  open.push(server);
  return server;
}

/** Replies that no handler answers; in front of the routes the page that shows the stack would show us too. */
function newApp(make: typeof express, where: Where): Express {
  const app = make();
  if (where !== 'after the routes') app.set('env', 'production');
  if (where === 'before the routes' || where === 'both') app.use(failureReports());
  return app;
}

function endRoutes(app: Express, where: Where): Express {
  if (where === 'after the routes' || where === 'both') app.use(failureReports());
  return app;
}

/** Express 4 does not look at a handler's promise. */
function handled(work: (id: string) => Promise<void>): express.RequestHandler<{ id: string }> {
  return (request, _response, next) => void work(request.params.id).catch(next);
}

function contractApp(make: typeof express, where: Where, env: string): Express {
  const app = newApp(make, where);
  app.set('env', env);
  app.get('/recovered', (_request, response) => {
    observeFailure(event('attempt'));
    response.json({ fine: true });
  });
  app.get('/event', () => {
    throw event('own');
  });
  app.get('/caused', (_request, _response, next) => next(new Error('outer', { cause: event('own') })));
  app.get('/plain', () => {
    throw new Error('plain');
  });
  app.get('/teapot', (_request, _response, next) => {
    next(
      Object.assign(new Error('short and stout', { cause: event('own') }), { status: 418, headers: { 'X-Tea': '1' } }),
    );
  });
  app.post('/body', make.json(), () => {
    throw event('own');
  });
  app.get(
    '/slow/:id',
    handled(async (id) => {
      await pause();
      observeFailure(event(`attempt ${id}`));
      await pause();
      throw event(`own ${id}`);
    }),
  );
  return endRoutes(app, where);
}

describe.each([
  ['express 5', express],
  ['express 4', express4],
])('%s', (name, make) => {
  describeContract(`${name}, before the routes`, {
    start: (withAdapter) => listen(contractApp(make, withAdapter ? 'before the routes' : 'nowhere', 'production')),
  });
  describeContract(`${name}, twice`, {
    start: (withAdapter) => listen(contractApp(make, withAdapter ? 'both' : 'nowhere', 'production')),
  });
  describeContract(`${name}, after the routes`, {
    onlyFromTheError: true,
    start: (withAdapter) => listen(contractApp(make, withAdapter ? 'after the routes' : 'nowhere', 'test')),
  });

  describe.each(['before the routes', 'after the routes', 'both'] as const)('registered %s', (where) => {
    const answer: ErrorRequestHandler = (_error, _request, response, _next) => void response.status(502).send('sorry');

    it('names what the app’s own error handler answers, and only once', async () => {
      const app = newApp(make, where);
      app.get('/', () => {
        throw event('own');
      });
      endRoutes(app, where).use(answer);
      const { port } = await serve(app);
      const raised = await raisedDuring(async () => {
        const got = await exchange(port, '/');
        expect([got.status, reasons(got.report)]).toEqual([502, ['own']]);
        expect(got.bytes).toMatch(/sorry$/);
      });
      expect(raised).toEqual(['own']);
    });

    it('names what the app’s own error handler throws', async () => {
      const app = newApp(make, where);
      app.get('/', () => {
        throw event('inner');
      });
      const rethrow: ErrorRequestHandler = (error, _request, _response, _next) => {
        throw event('outer', error);
      };
      endRoutes(app, where).use(rethrow);
      const { port } = await serve(app);
      for (const turn of ['first', 'second']) {
        const got = await exchange(port, '/');
        expect([turn, got.status, reasons(got.report)]).toEqual([turn, 500, ['outer', 'inner']]);
      }
    });

    it('names what a router or a mounted app passes on', async () => {
      const app = newApp(make, where);
      const router = make.Router();
      router.get('/event', () => {
        throw event('router');
      });
      const mounted = make();
      mounted.get('/event', () => {
        throw event('mounted');
      });
      app.use('/router', router).use('/mounted', mounted);
      const { port } = await serve(endRoutes(app, where));
      expect(reasons((await exchange(port, '/router/event')).report)).toEqual(['router']);
      expect(reasons((await exchange(port, '/mounted/event')).report)).toEqual(['mounted']);
    });
  });

  it('leaves a reply that breaks off half-way to Express, and announces its failure', async () => {
    const streaming = (where: Where): Express => {
      const app = newApp(make, where);
      app.get('/', (_request, response, next) => {
        const body = new PassThrough();
        body.on('error', next);
        body.pipe(response.type('text/plain'));
        body.write('half');
        setTimeout(() => body.destroy(event('own')), 20);
      });
      return endRoutes(app, where);
    };
    const bare = await exchange((await serve(streaming('nowhere'))).port, '/');
    for (const where of ['before the routes', 'both'] as const) {
      const { port } = await serve(streaming(where));
      const raised = await raisedDuring(async () => {
        const got = await exchange(port, '/');
        expect(got.bytes).toBe(bare.bytes);
        expect(got.report).toBeUndefined();
      });
      expect(raised).toEqual(['own']);
    }
    expect(bare.bytes).toContain('half');
  });

  it('takes what failRequest names where nothing is thrown', async () => {
    const app = newApp(make, 'before the routes');
    app.get('/', (_request, response) => {
      failRequest(event('own'));
      response.status(503).end();
    });
    const got = await exchange((await serve(app)).port, '/');
    expect([got.status, reasons(got.report)]).toEqual([503, ['own']]);
  });
});

describe('express 5', () => {
  it('names what async handlers reject with', async () => {
    const app = newApp(express, 'before the routes');
    app.get('/', async () => {
      await pause();
      throw event('own');
    });
    const { port } = await serve(app);
    expect(reasons((await exchange(port, '/')).report)).toEqual(['own']);
  });
});
