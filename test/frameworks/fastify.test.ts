import { once } from 'node:events';
import { connect } from 'node:http2';
import { PassThrough } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { failureReports } from '../../src/frameworks/fastify.ts';
import { HEADER_NAME } from '../../src/records/wire.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { observeFailure } from '../../src/transport/observe.ts';
import { newApp, serve, start } from '../support/fastify-app.ts';
import { describeContract, event, exchange, pause, raisedDuring, reasons } from '../support/framework-contract.ts';

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
