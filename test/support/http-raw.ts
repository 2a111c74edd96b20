import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { FailureReport } from '../../src/records/failure-report.ts';
import { serveRequest } from '../../src/transport/reply/serve-request.ts';
import type { ServedOptions, ServedRequest } from '../../src/transport/reply/served-request.ts';
import { requestStorage } from '../../src/transport/request-scope.ts';

export type Listener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** The port that a listening server got. */
export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** Runs `use` against a server that listens on a free port, and closes it with all its connections. */
export async function withServer<T>(server: http.Server, use: (port: number) => Promise<T>): Promise<T> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await use(portOf(server));
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

export const GET = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** Everything a server sends back until it closes the connection, as latin1 text. */
export async function rawReply(port: number, request: string = GET): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(request);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

/** One reply, with what changes from second to second left out. */
export interface RawReply {
  /** Status line and headers other than the report's, in their order. */
  readonly head: readonly string[];
  readonly body: string;
  /** Values of the report's header. */
  readonly reports: readonly string[];
  readonly raw: string;
}

export function readRaw(raw: string): RawReply {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw.slice(0, end).split('\r\n');
  const isReport = (line: string): boolean => /^x-ng-failure-report:/i.test(line);
  return {
    head: lines.filter((line) => !isReport(line)).map((line) => line.replace(/^Date: .*/, 'Date: -')),
    body: raw.slice(end + 4),
    reports: lines.filter(isReport).map((line) => line.slice(line.indexOf(':') + 2)),
    raw: raw.replaceAll(/Date: [^\r]*/g, 'Date: -'),
  };
}

/** A listener whose requests have a scope; `prepare` acts on it before the listener runs. */
export function served(
  listener: Listener,
  prepare: (scope: ServedRequest) => void = () => {},
  options: ServedOptions = {},
): Listener {
  return (request, response) => {
    const scope = serveRequest(request, response, options);
    if (scope === undefined) throw new Error('the request has a scope already');
    prepare(scope);
    return requestStorage.run(scope, listener, request, response);
  };
}

/** What a listener answers, with or without a scope of ours around it. */
export async function replyOf(
  listener: Listener,
  carrying?: { readonly report?: FailureReport; readonly options?: ServedOptions },
  request: string = GET,
): Promise<RawReply> {
  const around =
    carrying === undefined
      ? listener
      : served(listener, (scope) => carrying.report && scope.log?.keep(carrying.report), carrying.options);
  return readRaw(await withServer(http.createServer(around), (port) => rawReply(port, request)));
}
