import { once } from 'node:events';
import http from 'node:http';
import * as undici from 'undici';

/** What a caller sees of a reply. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

export type CallKind = (url: string) => Promise<Answer>;

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });

async function reader(response: Response | undici.Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const source = response.body?.getReader();
  for (let step = await source?.read(); step?.done === false; step = await source?.read()) {
    if (step.value instanceof Uint8Array) parts.push(step.value);
  }
  return Buffer.concat(parts);
}

/** Each client, with different ways to read a body. */
export const CALLS: Record<string, CallKind> = {
  'http.get, data events': async (url) => {
    const [response]: http.IncomingMessage[] = await once(http.get(url), 'response');
    if (response === undefined) throw new Error('no response');
    const parts: Buffer[] = [];
    response.on('data', (chunk: Buffer) => parts.push(chunk));
    await once(response, 'end');
    return { status: response.statusCode ?? 0, body: Buffer.concat(parts) };
  },
  'http.request on kept-alive sockets, async iteration': async (url) => {
    const request = http.request(url, { agent, method: 'POST' });
    request.end('{}');
    const [response]: http.IncomingMessage[] = await once(request, 'response');
    if (response === undefined) throw new Error('no response');
    return { status: response.statusCode ?? 0, body: await collect(response) };
  },
  'fetch, text()': async (url) => {
    const response = await fetch(url);
    return { status: response.status, body: Buffer.from(await response.text()) };
  },
  'fetch, arrayBuffer()': async (url) => {
    const response = await fetch(url, { method: 'POST', body: '{}' });
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  },
  'fetch, a reader': async (url) => {
    const response = await fetch(url);
    return { status: response.status, body: await reader(response) };
  },
  'undici.fetch, a reader': async (url) => {
    const response = await undici.fetch(url);
    return { status: response.status, body: await reader(response) };
  },
  'undici.request': async (url) => {
    const response = await undici.request(url);
    return { status: response.statusCode, body: await collect(response.body) };
  },
};
