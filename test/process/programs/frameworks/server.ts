/** The same Gym server in four frameworks, each with its one line. Tells their ports, and ends when its input does. */
import http, { type RequestListener, type Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { NgFailureEvent, observeFailure } from 'opentelemetry-instrumentation-nemo-gym';
import { failureReports as expressReports } from 'opentelemetry-instrumentation-nemo-gym/express';
import { failureReports as fastifyReports } from 'opentelemetry-instrumentation-nemo-gym/fastify';
import { failureReports as honoReports } from 'opentelemetry-instrumentation-nemo-gym/hono';
import { failureReports as koaReports } from 'opentelemetry-instrumentation-nemo-gym/koa';

const withAdapters = process.env.ADAPTERS !== 'none';

/** With fixed ids, so that the replies of all runs can be compared byte for byte. */
function failure(id: string): NgFailureEvent {
  const record = { event_id: id, boundary: 'agent', failure_kind: 'agent_run_error', failure_reason: id } as const;
  return NgFailureEvent.fromRecord(record);
}

async function work(path: string): Promise<object> {
  await delay(2);
  if (path !== '/quiet') observeFailure(failure('attempt'));
  await delay(2);
  if (path === '/own') throw new Error('The agent broke', { cause: failure('own') });
  return { path };
}

const PATHS = ['/quiet', '/recovered', '/own'];

function expressApp(): RequestListener {
  const app = express();
  app.set('env', 'test').set('x-powered-by', false);
  if (withAdapters) app.use(expressReports());
  app.get(PATHS, async (request, response) => void response.json(await work(request.path)));
  app.use(((error, _request, response, _next) => {
    response.status(500).json(error.message);
  }) satisfies express.ErrorRequestHandler);
  return app;
}

async function fastifyServer(): Promise<Server> {
  const app = fastify();
  if (withAdapters) app.register(fastifyReports);
  for (const path of PATHS) app.get(path, () => work(path));
  await app.ready();
  return app.server;
}

function koaApp(): RequestListener {
  const app = new Koa();
  app.silent = true;
  if (withAdapters) app.use(koaReports());
  app.use(async (ctx) => {
    ctx.body = await work(ctx.path);
  });
  return app.callback();
}

function honoServer(): ReturnType<typeof createAdaptorServer> {
  const app = new Hono();
  if (withAdapters) app.use(honoReports());
  app.onError((error, c) => c.text(error.message, 500));
  app.get('*', async (c) => c.json(await work(c.req.path)));
  return createAdaptorServer({ fetch: app.fetch });
}

async function listen(server: Server | ReturnType<typeof createAdaptorServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const ports = {
  express: await listen(http.createServer(expressApp())),
  fastify: await listen(await fastifyServer()),
  koa: await listen(http.createServer(koaApp())),
  hono: await listen(honoServer()),
};
process.stdout.write(`${JSON.stringify(ports)}\n`);
process.stdin.resume().on('end', () => process.exit());
