/** A Gym server of ours beside the Python ones. Tells its port, and ends when its input does. */
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import {
  FailureHeader,
  FailureReportRow,
  failRequest,
  failureReportFor,
  NgFailureEvent,
  observeFailure,
  raiseBoundaryFailure,
  relayStream,
  withFailureReport,
} from 'opentelemetry-instrumentation-nemo-gym';

type Route = (response: ServerResponse, query: URLSearchParams) => Promise<void>;

const REASON_MAX_CHARS = 2000;

function modelFailure(failureReason: string, cause?: unknown): NgFailureEvent {
  const more = cause === undefined ? {} : { cause };
  return new NgFailureEvent({ boundary: 'model', failureKind: 'provider_unavailable', failureReason, ...more });
}

/** A failure whose header has just so many bytes. */
function failureOf(bytes: number): NgFailureEvent {
  const inner = modelFailure('x'.repeat(REASON_MAX_CHARS));
  const sized = (length: number) => modelFailure('y'.repeat(length), inner);
  const [header = ''] = Object.values(FailureHeader.encode(failureReportFor(sized(0))));
  return sized(bytes - header.length);
}

function post(url: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
}

const ROUTES: Record<string, Route> = {
  '/model': async () => {
    throw modelFailure('Überlast \u007f \u2028 🔥');
  },
  '/sized': async (_, query) => {
    throw failureOf(Number(query.get('bytes')));
  },
  '/agent': async (response, query) => {
    const upstream = await post(query.get('upstream') ?? '');
    try {
      await raiseBoundaryFailure(upstream);
    } catch (cause) {
      const facts = { boundary: 'agent', failureKind: 'agent_run_error', operation: 'run' } as const;
      throw new NgFailureEvent({ ...facts, failureReason: 'The agent’s model failed', cause });
    }
    answer(response, 200, await upstream.json());
  },
  '/recovered': async (response, query) => {
    await raiseBoundaryFailure(await post(query.get('upstream') ?? '')).catch(observeFailure);
    answer(response, 200, { reward: 1 });
  },
  // As a collector: the row that would be saved.
  '/row': async (response, query) => {
    const upstream = await post(query.get('upstream') ?? '');
    const report = FailureHeader.decode(upstream.headers);
    answer(response, 200, FailureReportRow.mergedInto({ _ng_rollout_id: 'r-node', reward: 0 }, report));
  },
  '/stream': async (response) => {
    startStream(response);
    for (const delta of ['Grü', 'ße 🔥']) {
      response.write(`data: ${JSON.stringify({ type: 'response.output_text.delta', delta })}\n\n`);
    }
    const last = withFailureReport({ type: 'response.failed' }, modelFailure('Die Verbindung riß ab'));
    response.end(`data: ${JSON.stringify(last)}\n\n`);
  },
  '/relay': async (response, query) => {
    const upstream = await post(query.get('upstream') ?? '');
    startStream(response);
    if (upstream.body === null) throw new Error('no stream');
    for await (const piece of relayStream(upstream.body)) response.write(piece);
    response.end();
  },
};

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  try {
    await ROUTES[pathname.replace(/^\/ng-rollout\/[^/]+/, '')]?.(response, searchParams);
  } catch (error) {
    failRequest(error);
    answer(response, 500, 'Internal Server Error');
  }
}

const server = http.createServer((request, response) => void serve(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(typeof address === 'object' ? address?.port : address);
});
process.stdin.resume().once('end', () => {
  server.close();
  server.closeAllConnections();
});
