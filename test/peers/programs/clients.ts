import http from 'node:http';
import type { ReplyLike } from 'opentelemetry-instrumentation-nemo-gym';

/** A reply whose body was read. */
export interface Answer extends ReplyLike {
  readonly type: string;
  text(): Promise<string>;
}

// Node's own undici comes first: the package's would put its agent under the global fetch, which then is no other client.
await fetch('data:,');
const { Agent, request } = await import('undici');
const agent = new Agent();

const INIT = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' } as const;

function answer(facts: { status: number; headers: ReplyLike['headers']; type: unknown; body: string }): Answer {
  const { status, headers, type, body } = facts;
  return { status, headers, type: String(type), text: async () => body };
}

/** The same call by each client that is watched. */
export const CLIENTS: Readonly<Record<string, (url: string) => Promise<Answer>>> = {
  async fetch(url) {
    const reply = await fetch(url, INIT);
    const { status, headers } = reply;
    return answer({ status, headers, type: headers.get('content-type'), body: await reply.text() });
  },

  async http(url) {
    const reply = await new Promise<http.IncomingMessage>((resolve, reject) => {
      http.request(url, INIT, resolve).once('error', reject).end(INIT.body);
    });
    const body = (await reply.setEncoding('utf8').toArray()).join('');
    return answer({
      status: reply.statusCode ?? 0,
      headers: reply.headers,
      type: reply.headers['content-type'],
      body,
    });
  },

  async undici(url) {
    const { statusCode: status, headers, body } = await request(url, { ...INIT, dispatcher: agent });
    return answer({ status, headers, type: headers['content-type'], body: await body.text() });
  },
};

export function post(url: string, by = 'fetch'): Promise<Answer> {
  const client = CLIENTS[by];
  if (client === undefined) throw new Error(`no client ${by}`);
  return client(url);
}
