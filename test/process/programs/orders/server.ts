/** A Gym server with a failure on each of its ways. Tells its port, and ends when its input does. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  failRequest,
  NgFailureEvent,
  observeFailure,
  RequestFailureLog,
  raiseBoundaryFailure,
} from 'opentelemetry-instrumentation-nemo-gym';
import * as undici from 'undici';

/** With a fixed id, so that the replies of all runs can be compared byte for byte. */
function failure(id: string, boundary: 'agent' | 'model' = 'model', cause?: unknown): NgFailureEvent {
  const record = { event_id: id, boundary, failure_kind: 'transport_timeout', failure_reason: `Grüße von ${id}` };
  return NgFailureEvent.fromRecord(record, cause);
}

type Route = (request: IncomingMessage, response: ServerResponse) => unknown;

async function forward(response: ServerResponse, call: () => Promise<Response | undici.Response>): Promise<void> {
  try {
    const reply = await call();
    await raiseBoundaryFailure({ status: reply.status, headers: reply.headers, text: () => reply.text() });
  } catch (error) {
    failRequest(failure('above', 'agent', error));
    response.writeHead(502, 'Bad Model', { 'content-type': 'text/plain' }).end('sorry');
  }
}

/** The client writes its late body in pieces of this size. */
const LATE_PIECE_BYTES = 2;

const ROUTES: Record<string, Route> = {
  '/quiet': (_, response) => response.setHeader('x-app', 'yes').end('quiet'),
  '/attempt': async (_, response) => {
    observeFailure(failure('attempt'));
    await delay(2);
    response.writeHead(200, ['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end('recovered');
  },
  '/own': (_, response) => {
    failRequest(failure('own', 'model', failure('cause')));
    response.writeHead(503, { 'content-type': 'application/json' }).end('"no"');
  },
  '/late-body': (request, response) => {
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      // One failure for each piece that the client wrote: on a busy machine two of them arrive as one chunk.
      for (const end = size + chunk.length; size < end; ) {
        size += LATE_PIECE_BYTES;
        observeFailure(failure(`data-${size}`));
      }
    });
    request.on('end', () => {
      failRequest(failure('in-end'));
      response.statusCode = 400;
      response.end(String(size));
    });
  },
  '/fetch': (_, response) => forward(response, () => fetch(`http://127.0.0.1:${port()}/own`)),
  '/undici': (_, response) => forward(response, () => undici.fetch(`http://127.0.0.1:${port()}/own`)),
  '/http': (_, response) => {
    http.get(`http://127.0.0.1:${port()}/own`, (reply) => {
      reply.resume();
      reply.on('end', () => {
        failRequest(failure('above', 'agent'));
        response.end(String(RequestFailureLog.current() !== undefined || bare));
      });
    });
  },
  '/stream': async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"type":"response.created"}\n\n');
    await delay(2);
    failRequest(failure('in-stream'));
    response.end('data: {"type":"response.failed"}\n\n');
  },
};

const bare = process.env.ORDER === 'bare';
const server = http.createServer(async (request, response) => {
  const path = (request.url ?? '').replace(/^\/ng-rollout\/[^/]+/, '');
  await ROUTES[path]?.(request, response);
});

function port(): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

server.listen(0, '127.0.0.1', () => process.stdout.write(`${port()}\n`));
process.stdin.resume().on('end', () => process.exit());
