import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it } from 'vitest';
import { newApp, serve } from '../support/fastify-app.ts';
import { event, exchange, pause, reasons } from '../support/framework-contract.ts';

function fail(reason = 'own'): never {
  throw event(reason);
}

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
