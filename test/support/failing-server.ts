import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** Ways in which a model server fails, beside a port that refuses. */
export const WAYS = [
  'fine',
  'reset',
  'cut',
  'rate',
  'quota',
  'late-quota',
  'broken',
  'flaky',
  'rejected',
  'silent',
  'garbage',
  'half-stream',
  'error-event',
] as const;
export type Way = (typeof WAYS)[number];

/** A model server that fails as the path says: `/<way>/<key>/v1/…`, where `key` tells the callers apart. */
export interface FailingServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** The base address for a client. */
  address(way: Way, key: string): string;
  /** How many requests came under that key. */
  requests(key: string): number;
}

export async function failingServer(): Promise<FailingServer> {
  const counts = new Map<string, number>();
  const server = createServer((req, res) => {
    const [, way = '', key = ''] = (req.url ?? '').split('/');
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    void text(req).then((body) => answer({ way, count, req, res, wantsStream: /"stream":\s*true/.test(body) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
  return {
    origin,
    address: (way, key) => `${origin}/${way}/${key}/v1`,
    requests: (key) => counts.get(key) ?? 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** An origin whose port was free a moment ago, so that it refuses. */
export async function refusingOrigin(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;
}

interface Exchange {
  readonly way: string;
  readonly count: number;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly wantsStream: boolean;
}

/** Long enough that a client on a busy machine has read what came before. */
const PAUSE_MS = 200;

const QUOTA = { code: 'insufficient_quota', type: 'insufficient_quota', message: 'You exceeded your current quota' };
const RATE = { code: 'rate_limit_exceeded', type: 'requests', message: 'Slow down' };
const SERVER = { code: null, type: 'server_error', message: 'The server had an error' };

function answer(exchange: Exchange): void {
  const { way, count, req, res } = exchange;
  switch (way) {
    case 'reset':
      req.socket.resetAndDestroy();
      break;
    case 'cut':
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      res.write('{"id":"x"');
      // A reset that a busy client reads together with the bytes before it looks like an end to it, or not: no reset here.
      setTimeout(() => req.socket.destroy(), PAUSE_MS);
      break;
    case 'rate':
      fail(res, 429, RATE);
      break;
    case 'quota':
      fail(res, 429, QUOTA);
      break;
    case 'late-quota':
      res.writeHead(429, { 'content-type': 'application/json', 'retry-after-ms': '30' }).flushHeaders();
      setTimeout(() => res.end(JSON.stringify({ error: QUOTA })), 10);
      break;
    case 'broken':
      fail(res, 500, SERVER);
      break;
    case 'flaky':
      if (count === 1) fail(res, 503, SERVER);
      else succeed(exchange);
      break;
    case 'rejected':
      fail(res, 400, { code: 'context_length_exceeded', type: 'invalid_request_error', message: 'Too long' });
      break;
    case 'silent':
      break;
    case 'garbage':
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"id": "x", "choices": [<html>');
      break;
    case 'half-stream':
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(chatChunk({ role: 'assistant', content: 'Hal' }));
      setTimeout(() => req.socket.destroy(), PAUSE_MS);
      break;
    case 'error-event':
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(`${chatChunk({ role: 'assistant', content: 'Hal' })}data: ${JSON.stringify({ error: SERVER })}\n\n`);
      break;
    default:
      succeed(exchange);
  }
}

function fail(res: ServerResponse, status: number, error: object): void {
  res.writeHead(status, {
    'content-type': 'application/json',
    'retry-after-ms': '1',
    'x-request-id': 'req-7',
  });
  res.end(JSON.stringify({ error }));
}

function succeed({ req, res, wantsStream }: Exchange): void {
  if (wantsStream) {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(`${chatChunk({ role: 'assistant', content: 'Hi' })}${chatChunk({}, 'stop')}data: [DONE]\n\n`);
    return;
  }
  const body = req.url?.endsWith('/responses') === true ? RESPONSE : CHAT;
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const CHAT = {
  id: 'chat-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: USAGE,
};
const RESPONSE = {
  id: 'resp-1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output: [
    {
      type: 'message',
      id: 'msg-1',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
};

function chatChunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const chunk = { id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
