/** The app of the server under test, for faults. Path: `/<route>/<n>/<kind of the server that it calls>`. */
import type http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  failRequest,
  failureStreamEvent,
  NgFailureEvent,
  observeFailure,
  raiseBoundaryFailure,
  withFailureReport,
} from 'opentelemetry-instrumentation-nemo-gym';
import { STREAMS } from './kinds.ts';
import { CALL_ANSWERED, CALL_CUT, Ledger, REPLY_CUT } from './ledger.ts';

export const counts = { open: 0, requests: 0, aborted: 0, raised: 0, forwarded: 0, throws: 0 };

/** What the parent tells. */
interface Told {
  readonly peer: number;
  readonly next: number;
  readonly ledger: string;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly n: string;
  readonly kind: string;
}

/** Long enough for what comes, short enough for what never does. */
const PATIENCE_MS = 20_000;
const ENDLESS_MS = 150;
const BLOCK = 'y'.repeat(16 * 1024);
const FIRST = 'data: {"type":"response.created"}\n\n';

function writable(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const on = (): void => {
      response.off('drain', on).off('close', on);
      resolve();
    };
    response.on('drain', on).on('close', on);
  });
}

/** Each kind comes both ways in turn; only of fetch's replies no more is read than an error keeps. */
function isByFetch({ n, kind }: Exchange): boolean {
  const round = Math.floor(Number(n) / 20);
  return kind === 'endless-error' || (round + (round >> 3)) % 2 === 0;
}

export function appOf(node: typeof http, agent: http.Agent, given: () => unknown): http.RequestListener {
  let ledger: Ledger | undefined;
  const told = (): Told => given() as Told;

  function note(n: string, word: string): void {
    ledger ??= new Ledger(told().ledger);
    ledger.note(n, word);
  }

  function raise({ n }: Exchange, cause?: unknown): NgFailureEvent {
    const error = new NgFailureEvent({
      boundary: cause === undefined ? 'model' : 'agent',
      failureKind: 'transport_timeout',
      failureReason: 'it broke',
      ...(cause === undefined ? {} : { cause }),
    });
    note(n, error.eventId);
    counts.raised += 1;
    return error;
  }

  const isOfPeer = (exchange: Exchange): boolean => exchange.request.url?.startsWith('/peer') === true;

  function urlOf(exchange: Exchange): string {
    const port = isOfPeer(exchange) ? told().peer : told().next;
    return `http://127.0.0.1:${port}/${exchange.kind}/${exchange.n}`;
  }

  function signalOf({ kind }: Exchange): AbortSignal {
    return AbortSignal.timeout(STREAMS[kind]?.endless === true ? ENDLESS_MS : PATIENCE_MS);
  }

  async function byFetch(exchange: Exchange): Promise<void> {
    const response = await fetch(urlOf(exchange), { signal: signalOf(exchange) });
    note(exchange.n, CALL_ANSWERED);
    await raiseBoundaryFailure(response);
    await response.text();
  }

  async function byNode(exchange: Exchange): Promise<void> {
    const signal = signalOf(exchange);
    const options = { agent: isOfPeer(exchange) ? undefined : agent, signal };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      node.get(urlOf(exchange), options, resolve).on('error', reject);
    });
    note(exchange.n, CALL_ANSWERED);
    const { headers, statusCode: status = 0 } = response;
    for await (const _ of response);
    await raiseBoundaryFailure({ status, headers });
  }

  /** A call, and the failure that it becomes here when it fails. */
  async function call(exchange: Exchange): Promise<NgFailureEvent | undefined> {
    try {
      await (isByFetch(exchange) ? byFetch : byNode)(exchange);
      return undefined;
    } catch (error) {
      // What the other server told is no fault of the line.
      if (!NgFailureEvent.is(error)) note(exchange.n, CALL_CUT);
      return raise(exchange, error);
    }
  }

  async function nested(exchange: Exchange): Promise<void> {
    const failure = await call(exchange);
    if (failure !== undefined) failRequest(failure);
    exchange.response.writeHead(failure === undefined ? 200 : 502, { 'content-type': 'application/json' });
    exchange.response.end('{}');
  }

  /** The same inside a stream, whose headers have left by then. */
  async function nestedInStream(exchange: Exchange): Promise<void> {
    const { response } = exchange;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(FIRST);
    const failure = await call(exchange);
    if (failure === undefined) {
      response.end(`data: ${JSON.stringify(withFailureReport({ type: 'response.completed' }))}\n\n`);
    } else {
      failRequest(failure);
      response.end(failureStreamEvent('responses', failure));
    }
  }

  const routes: Readonly<Record<string, (exchange: Exchange) => unknown>> = {
    own: (exchange) => {
      failRequest(raise(exchange, new Error('between', { cause: raise(exchange) })));
      exchange.response.writeHead(503).end('{}');
    },
    slow: async (exchange) => {
      observeFailure(raise(exchange));
      await delay(15);
      failRequest(raise(exchange));
      exchange.response.writeHead(504).end('{}');
    },
    /** As long as somebody reads, up to 600 kB. */
    long: async (exchange) => {
      const { response } = exchange;
      observeFailure(raise(exchange));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let block = 0; block < 40 && !response.destroyed; block += 1) {
        if (!response.write(`data: {"type":"delta","y":"${BLOCK}"}\n\n`)) await writable(response);
      }
      response.end(failureStreamEvent('responses', raise(exchange)));
    },
    body: async (exchange) => {
      observeFailure(raise(exchange));
      try {
        for await (const _ of exchange.request);
      } catch (error) {
        failRequest(raise(exchange, error));
      }
      exchange.response.writeHead(200).end('{}');
    },
    cut: async (exchange) => {
      const { response } = exchange;
      observeFailure(raise(exchange));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(FIRST);
      await delay(2);
      failRequest(raise(exchange));
      response.destroy();
    },
    next: nested,
    'next-stream': nestedInStream,
    peer: nested,
    'peer-stream': nestedInStream,
  };

  return async (request, response) => {
    const [, route = '', n = '', kind = ''] = (request.url ?? '').split('/');
    counts.open += 1;
    counts.requests += 1;
    response.on('close', () => {
      counts.open -= 1;
      if (response.writableFinished) return;
      counts.aborted += 1;
      note(n, REPLY_CUT);
    });
    try {
      if (route !== 'body') request.resume();
      await routes[route]?.({ request, response, n, kind });
      if (routes[route] === undefined) response.writeHead(404).end();
    } catch {
      counts.throws += 1;
      response.destroy();
    }
  };
}
