import { once } from 'node:events';
import { connect } from 'node:http2';
import { PassThrough, Readable } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { failureReports } from '../../src/frameworks/fastify.ts';
import { HEADER_NAME } from '../../src/records/wire.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { observeFailure } from '../../src/transport/observe.ts';
import {
  describeContract,
  event,
  exchange,
  pause,
  raisedDuring,
  reasons,
  type TestServer,
} from '../support/framework-contract.ts';

const open: TestServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(app: FastifyInstance): Promise<TestServer> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const [address] = app.addresses();
  if (typeof address !== 'object') throw new Error('Fastify does not listen');
  return { port: address.port, close: () => app.close() };
}

async function serve(app: FastifyInstance): Promise<TestServer> {
  const server = await start(app);
  open.push(server);
  return server;
}

function newApp(withAdapter = true, options: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true, ...options });
  if (withAdapter) app.register(failureReports);
  return app;
}

function fail(reason = 'own'): never {
  throw event(reason);
}

function contractApp(withAdapter: boolean): FastifyInstance {
  const app = newApp(withAdapter);
  app.get('/recovered', async () => {
    observeFailure(event('attempt'));
    return { fine: true };
  });
  app.get('/event', () => fail());
  app.get('/caused', async () => {
    throw new Error('outer', { cause: event('own') });
  });
  app.get('/plain', async () => {
    throw new Error('plain');
  });
  app.get('/teapot', (_request, reply) => {
    reply.send(Object.assign(new Error('short and stout', { cause: event('own') }), { statusCode: 418 }));
  });
  app.post('/body', async () => fail());
  app.get<{ Params: { id: string } }>('/slow/:id', async ({ params: { id } }) => {
    await pause();
    observeFailure(event(`attempt ${id}`));
    await pause();
    fail(`own ${id}`);
  });
  return app;
}

describeContract('fastify', { start: (withAdapter) => start(contractApp(withAdapter)) });

/** Every place in which a Fastify app can fail; `own` is what the reply reports. */
const PLACES: readonly [place: string, build: (app: FastifyInstance) => void][] = [
  ['onRequest hook', (app) => app.get('/', { onRequest: async () => fail() }, async () => 'unreached')],
  ['preParsing hook', (app) => app.get('/', { preParsing: async () => fail() }, async () => 'unreached')],
  ['preValidation hook', (app) => app.get('/', { preValidation: async () => fail() }, async () => 'unreached')],
  [
    'preHandler hook',
    (app) => app.get('/', { preHandler: (_q, _r, done) => done(event('own')) }, async () => 'unreached'),
  ],
  ['preSerialization hook', (app) => app.get('/', { preSerialization: async () => fail() }, async () => ({}))],
  ['onSend hook', (app) => app.get('/', { onSend: async () => fail() }, async () => 'unsent')],
  ['serializer', (app) => app.get('/', async (_request, reply) => reply.serializer(() => fail()).send({ a: 1 }))],
  ['reply.send(error)', (app) => app.get('/', (_request, reply) => void reply.code(503).send(event('own')))],
  ['handler of unknown routes', (app) => app.setNotFoundHandler(async () => fail())],
  ['body stream, before it began', (app) => app.get('/', async () => Readable.from(failingAtOnce()))],
  [
    'plugin',
    (app) =>
      app.register(async (child) => {
        child.get('/', async () => fail());
      }),
  ],
];

async function* failingAtOnce(): AsyncGenerator<string> {
  await pause();
  fail();
  yield 'unreached';
}

const HANDLERS: readonly [handler: string, set: (app: FastifyInstance) => void][] = [
  ['Fastify’s own', () => {}],
  [
    'one that answers by itself',
    (app) => app.setErrorHandler((_e, _q, reply) => void reply.code(502).send({ sorry: 1 })),
  ],
  [
    'an async one',
    (app) => app.setErrorHandler(async (_e, _q, reply) => reply.code(502).type('text/plain').send('sorry')),
  ],
  ['one that sends the error', (app) => app.setErrorHandler((error, _q, reply) => void reply.code(502).send(error))],
];

describe.each(HANDLERS)('fastify, error handler: %s', (_handler, setHandler) => {
  it.each(PLACES)('names what the %s fails with', async (_place, build) => {
    const replies = [];
    for (const withAdapter of [false, true]) {
      const app = newApp(withAdapter);
      setHandler(app);
      build(app);
      const { port } = await serve(app);
      replies.push(await exchange(port, '/'));
    }
    const [bare, got] = replies;
    expect(got?.bytes).toBe(bare?.bytes);
    expect(got?.status).toBeGreaterThanOrEqual(500);
    expect(reasons(got?.report)).toEqual(['own']);
  });
});

describe('fastify', () => {
  it.each([
    [
      'sync',
      (error: Error) => {
        throw event('outer', error);
      },
    ],
    [
      'async',
      async (error: Error) => {
        await pause();
        throw event('outer', error);
      },
    ],
  ] as const)('names what an error handler itself throws, %s', async (_how, handler) => {
    const app = newApp();
    app.setErrorHandler(handler);
    app.get('/', () => fail('inner'));
    const { port } = await serve(app);
    const got = await exchange(port, '/');
    expect([got.status, reasons(got.report)]).toEqual([500, ['outer', 'inner']]);
  });

  it('finds error handlers of plugins, and routes that were there before it', async () => {
    const app = Fastify({ forceCloseConnections: true });
    app.get('/before', () => fail('before'));
    app.register(failureReports);
    app.register(async (child) => {
      child.setErrorHandler(async (_error, _request, reply) => reply.code(200).send('fine after all'));
      child.get('/child', () => fail('child'));
    });
    const { port } = await serve(app);
    const [before, child] = [await exchange(port, '/before'), await exchange(port, '/child')];
    expect([before.status, reasons(before.report)]).toEqual([500, ['before']]);
    expect([child.status, reasons(child.report)]).toEqual([200, ['child']]);
  });

  it('says nothing of a request that does not validate', async () => {
    const replies = [];
    for (const withAdapter of [false, true]) {
      const app = newApp(withAdapter);
      app.post('/', { schema: { body: { type: 'object', required: ['b'] } } }, async () => 'unreached');
      replies.push(await exchange((await serve(app)).port, '/', { method: 'POST', body: '{"a":1}' }));
    }
    expect(replies[1]).toEqual(replies[0]);
    expect(replies[1]).toMatchObject({ status: 400, report: undefined });
  });

  it('serves inject, which has no socket', async () => {
    const bare = contractApp(false);
    const app = contractApp(true);
    for (const [url, expected] of [
      ['/recovered', ['none', 'attempt']],
      ['/event', ['own']],
      ['/slow/7', ['own 7', 'attempt 7']],
      ['/plain', []],
    ] as const) {
      const [got, without] = [await app.inject({ url }), await bare.inject({ url })];
      expect([got.statusCode, got.body]).toEqual([without.statusCode, without.body]);
      expect(reasons(FailureHeader.decode(got.headers))).toEqual(expected);
      expect(without.headers[HEADER_NAME.toLowerCase()]).toBeUndefined();
    }
  });

  it('serves http2, for which Node tells of no request', async () => {
    const app = Fastify({ http2: true });
    app.register(failureReports);
    app.get('/', async () => {
      observeFailure(event('attempt'));
      await pause();
      fail();
    });
    const client = connect(await app.listen({ port: 0, host: '127.0.0.1' }));
    const [headers] = await once(client.request({ ':path': '/' }), 'response');
    client.destroy();
    await app.close();
    expect(headers[':status']).toBe(500);
    expect(reasons(FailureHeader.decode({ [HEADER_NAME]: headers[HEADER_NAME.toLowerCase()] }))).toEqual([
      'own',
      'attempt',
    ]);
  });

  it('acts once when it is registered twice', async () => {
    const app = newApp();
    app.register(failureReports);
    app.get('/', () => fail());
    const { port } = await serve(app);
    const raised = await raisedDuring(async () => {
      expect(reasons((await exchange(port, '/')).report)).toEqual(['own']);
    });
    expect(raised).toEqual(['own']);
  });

  it('announces a body stream that breaks off half-way, and lets it break', async () => {
    const streaming = (withAdapter: boolean): FastifyInstance => {
      const app = newApp(withAdapter);
      app.get('/', (_request, reply) => {
        const body = new PassThrough();
        body.write('half');
        setTimeout(() => body.destroy(event('own')), 20);
        reply.type('text/plain').send(body);
      });
      return app;
    };
    const bare = await exchange((await serve(streaming(false))).port, '/');
    const { port } = await serve(streaming(true));
    const raised = await raisedDuring(async () => {
      const got = await exchange(port, '/');
      expect(got.bytes).toBe(bare.bytes);
      expect(got.report).toBeUndefined();
    });
    expect(bare.bytes).toContain('half');
    expect(raised).toEqual(['own']);
  });

  it('holds the header to the limit it is given', async () => {
    const app = Fastify();
    app.register(failureReports, { maxHeaderBytes: 64 });
    app.get('/', () => fail());
    expect((await app.inject('/')).headers[HEADER_NAME.toLowerCase()]).toBe('{"omitted":true}');
  });
});
