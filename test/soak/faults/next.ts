/**
 * The next server, with this package: it fails, cuts its replies, and now and then dies in the middle of one. The parent
 * starts it again. `next.ts PORT LEDGER`; path: `/<kind>/<n>`.
 */
import http, { type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  failRequest,
  failureStreamEvent,
  NgFailureEvent,
  NgFailureInstrumentation,
  observeFailure,
} from 'opentelemetry-instrumentation-nemo-gym';
import { Ledger, REPLY_CUT } from './ledger.ts';

const [, , port = '0', path = ''] = process.argv;
const ledger = new Ledger(path);
new NgFailureInstrumentation();

function raise(n: string, cause?: unknown): NgFailureEvent {
  const error = new NgFailureEvent({
    boundary: 'resources_server',
    failureKind: 'verifier_error',
    failureReason: 'the next server failed',
    ...(cause === undefined ? {} : { cause }),
  });
  ledger.note(n, error.eventId);
  return error;
}

type Route = (response: ServerResponse, n: string) => unknown;

const ROUTES: Readonly<Record<string, Route>> = {
  chain: (response, n) => {
    failRequest(raise(n, new Error('between', { cause: raise(n) })));
    response.writeHead(503).end('{}');
  },
  stream: async (response, n) => {
    observeFailure(raise(n));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"type":"response.created"}\n\n');
    await delay(1);
    response.end(failureStreamEvent('responses', raise(n)));
  },
  cut: async (response, n) => {
    observeFailure(raise(n));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"type":"response.created"}\n\n');
    await delay(2);
    observeFailure(raise(n));
    response.destroy();
  },
  die: async (response, n) => {
    observeFailure(raise(n));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"type":"response.created"}\n\n');
    await delay(2);
    observeFailure(raise(n));
    process.kill(process.pid, 'SIGKILL');
  },
};

const server = http.createServer(async (request, response) => {
  const [, kind = '', n = ''] = (request.url ?? '').split('/');
  request.resume();
  response.on('close', () => {
    if (!response.writableFinished) ledger.note(n, REPLY_CUT);
  });
  await ROUTES[kind]?.(response, n);
});

process.on('disconnect', () => process.exit(1));
server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
