/** The app of the server under test: failures on each of its ways, and what each reply has to report told in its body. */
import type http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  failRequest,
  failureStreamEvent,
  modelOperation,
  NgFailureEvent,
  observedFetch,
  observeFailure,
  raiseBoundaryFailure,
  reportForCurrentRequest,
  withFailureReport,
} from 'opentelemetry-instrumentation-nemo-gym';
import { IDS_HEADER, OMITTED_HEADER, type Told, type Verdict } from './messages.ts';

/** What one request came to, by the app's own account. */
class Account {
  readonly raised: string[] = [];
  omitted: Verdict = 'never';

  raise(cause?: unknown, reason = 'it broke'): NgFailureEvent {
    const error = new NgFailureEvent({
      boundary: cause === undefined ? 'model' : 'agent',
      failureKind: 'transport_timeout',
      failureReason: reason,
      cause,
    });
    this.raised.push(error.eventId);
    counts.raised += 1;
    return error;
  }

  /** What the reply to a nested call has to add. */
  forward(ids: string | null | undefined, omitted: string | null | undefined): void {
    const forwarded = (ids ?? '').split(',').filter((id) => id !== '');
    this.raised.push(...forwarded);
    counts.forwarded += forwarded.length;
    if (omitted === 'must' || (omitted === 'may' && this.omitted === 'never')) this.omitted = omitted;
  }

  told(): Told {
    return { raised: this.raised, omitted: this.omitted };
  }
}

export const counts = { open: 0, requests: 0, aborted: 0, raised: 0, forwarded: 0, throws: 0 };

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly account: Account;
  /** Path on the upstream server, and the request's number in it. */
  readonly upstream: string;
  readonly number: string;
}

type Route = (exchange: Exchange) => unknown;

function reply({ response, account }: Exchange, status = 200, more = ''): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ...account.told(), more }));
}

const BLOCK = 'y'.repeat(48 * 1024);

/** Routes of an app whose calls go through `node` and fetch. */
function routesOf(node: typeof http, agent: http.Agent, upstreamPort: () => number): Record<string, Route> {
  const urlOf = ({ upstream }: Exchange): string => `http://127.0.0.1:${upstreamPort()}/${upstream}`;

  async function viaFetch(exchange: Exchange): Promise<void> {
    const response = await fetch(urlOf(exchange));
    exchange.account.forward(response.headers.get(IDS_HEADER), response.headers.get(OMITTED_HEADER));
    await raiseBoundaryFailure(response);
    await response.text();
  }

  async function viaNode(exchange: Exchange): Promise<void> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      node.get(urlOf(exchange), { agent }, resolve).on('error', reject);
    });
    const { headers, statusCode: status = 0 } = response;
    exchange.account.forward(String(headers[IDS_HEADER]), String(headers[OMITTED_HEADER]));
    if (status >= 400) response.resume();
    await raiseBoundaryFailure({ status, headers });
    for await (const _ of response);
  }

  /** A call whose failure fails the request, with the other server's chain below it. */
  async function nested(exchange: Exchange, call: (exchange: Exchange) => Promise<void>): Promise<void> {
    try {
      await call(exchange);
      reply(exchange);
    } catch (error) {
      failRequest(exchange.account.raise(error));
      reply(exchange, 502);
    }
  }

  /** The same inside a stream of its own, whose headers have left by then. */
  async function streamed(exchange: Exchange, call?: (exchange: Exchange) => Promise<void>): Promise<void> {
    const { response, account } = exchange;
    observeFailure(account.raise());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"type":"response.created"}\n\n');
    await delay(1);
    observeFailure(account.raise());
    try {
      if (call === undefined) throw new Error('broken');
      await call(exchange);
      response.end(
        `data: ${JSON.stringify(withFailureReport({ type: 'response.completed', told: account.told() }))}\n\n`,
      );
    } catch (error) {
      const own = account.raise(error);
      failRequest(own);
      response.end(failureStreamEvent('responses', own, { event: { told: account.told() } }));
    }
  }

  /** A model client's attempts, the first of which fails. Only the log knows the ids of events that are made inside. */
  async function viaModel(exchange: Exchange): Promise<void> {
    const { account } = exchange;
    await modelOperation(async () => {
      const first = await observedFetch(urlOf(exchange)).catch(() => undefined);
      await first?.text();
      const second = await observedFetch(`http://127.0.0.1:${upstreamPort()}/field/${exchange.number}`);
      account.forward(second.headers.get(IDS_HEADER), second.headers.get(OMITTED_HEADER));
      await second.text();
    });
    const made = [...reportForCurrentRequest().events.keys()].filter((id) => !account.raised.includes(id));
    if (made.length === 0) throw new Error('the failed attempt is not in the log');
    account.raised.push(...made);
    counts.raised += made.length;
  }

  return {
    quiet: (exchange) => reply(exchange),
    attempt: async (exchange) => {
      observeFailure(exchange.account.raise());
      await delay(1);
      reply(exchange);
    },
    own: (exchange) => {
      const { account } = exchange;
      const cause = new Error('third party', { cause: account.raise() });
      failRequest(account.raise(cause));
      reply(exchange, 503);
    },
    'too-much': (exchange) => {
      const { account } = exchange;
      account.omitted = 'must';
      failRequest(account.raise(account.raise(account.raise(undefined, 'é'.repeat(900)))));
      reply(exchange, 500);
    },
    full: (exchange) => {
      const { account } = exchange;
      account.omitted = 'must';
      for (let attempt = 0; attempt < 70; attempt += 1) observeFailure(account.raise());
      reply(exchange, 500);
    },
    large: async (exchange) => {
      observeFailure(exchange.account.raise());
      reply(exchange, 200, BLOCK);
    },
    body: (exchange) => {
      const { account, request } = exchange;
      let attempts = 0;
      request.on('data', () => {
        attempts += 1;
        if (attempts < 4) observeFailure(account.raise());
      });
      request.on('end', () => {
        failRequest(account.raise());
        reply(exchange, 400);
      });
    },
    slow: async (exchange) => {
      observeFailure(exchange.account.raise());
      await delay(10);
      failRequest(exchange.account.raise());
      reply(exchange, 504);
    },
    stream: (exchange) => streamed(exchange),
    'stream-cut': async ({ response, account }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"type":"response.created"}\n\n');
      await delay(1);
      failRequest(account.raise());
      response.destroy();
    },
    endless: async ({ response, account }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let piece = 0; piece < 200 && !response.destroyed; piece += 1) {
        response.write('data: {"type":"response.output_text.delta"}\n\n');
        await delay(2);
      }
      failRequest(account.raise());
      response.end();
    },
    fetch: (exchange) => nested(exchange, viaFetch),
    model: (exchange) => nested(exchange, viaModel),
    http: (exchange) => nested(exchange, viaNode),
    'stream-fetch': (exchange) => streamed(exchange, viaFetch),
    'stream-http': (exchange) => streamed(exchange, viaNode),
  };
}

async function read(request: IncomingMessage): Promise<void> {
  for await (const _ of request);
}

/** The app whose calls go to the port that `told` gives. */
export function appOf(node: typeof http, agent: http.Agent, told: () => unknown): http.RequestListener {
  return listener(routesOf(node, agent, () => Number(told())));
}

/** Serves `/<route>/<path on the upstream>`, also below `/ng-rollout/<id>`. */
function listener(routes: Record<string, Route>): http.RequestListener {
  return async (request, response) => {
    counts.open += 1;
    counts.requests += 1;
    response.on('close', () => {
      counts.open -= 1;
      if (!response.writableFinished) counts.aborted += 1;
    });
    const [, route = '', upstream = '', number = ''] =
      /^(?:\/ng-rollout\/[^/]+)?\/([^/]+)\/?([^/]*\/?([^/]*).*)$/.exec(request.url ?? '') ?? [];
    try {
      // A reply that leaves before the request has come is cut off with its connection.
      if (route !== 'body') await read(request);
      await routes[route]?.({ request, response, account: new Account(), upstream, number });
    } catch {
      counts.throws += 1;
      response.destroy();
    }
  };
}
