import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { FailureReport } from '../../src/records/failure-report.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { portOf } from './http-raw.ts';

/** A reply that passed by. */
export interface Passed {
  readonly path: string;
  readonly status: number;
  readonly report: FailureReport | undefined;
  /** Its body, as far as it came. */
  readonly body: () => string;
}

/** Stands between two servers: passes each request on, and keeps what was answered. */
export interface Tap extends AsyncDisposable {
  readonly url: string;
  readonly passed: readonly Passed[];
}

/** @param target - the address to which a request with that body goes; its path follows */
export async function tap(target: (body: string) => string): Promise<Tap> {
  const passed: Passed[] = [];
  const server = http.createServer(async (request, response) => {
    const body = await buffer(request);
    const { method, headers, url: path = '' } = request;
    const onward = http.request(target(body.toString()) + path, { method, headers });
    // As the one side broke off, so does the other.
    onward.on('error', () => request.socket.destroy());
    onward.end(body).once('response', (reply) => {
      const chunks: Buffer[] = [];
      const { statusCode: status = 0 } = reply;
      const report = FailureHeader.decode(reply.headers);
      passed.push({ path, status, report, body: () => Buffer.concat(chunks).toString() });
      response.writeHead(status, reply.headers);
      reply.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        response.write(chunk);
      });
      reply.on('end', () => response.end()).on('error', () => request.socket.destroy());
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    passed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
