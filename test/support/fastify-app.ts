import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { onTestFinished } from 'vitest';
import { failureReports } from '../../src/frameworks/fastify.ts';
import type { TestServer } from './framework-contract.ts';

export function newApp(withAdapter = true, options: FastifyServerOptions = {}): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true, ...options });
  if (withAdapter) app.register(failureReports);
  return app;
}

export async function start(app: FastifyInstance): Promise<TestServer> {
  await app.listen({ port: 0, host: '127.0.0.1' });
  const [address] = app.addresses();
  if (typeof address !== 'object') throw new Error('Fastify does not listen');
  return { port: address.port, close: () => app.close() };
}

/** A server for one test. */
export async function serve(app: FastifyInstance): Promise<TestServer> {
  const server = await start(app);
  onTestFinished(() => server.close());
  return server;
}
