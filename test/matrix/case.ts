import { lastRequest, type Step } from './exchange.ts';

/** The servers of a cell. */
export type ServerName = 'plain' | 'tls' | 'http2' | 'express' | 'strict';

/** A reply that a case expects. */
export interface ExpectedReply {
  readonly path: string;
  /** The report in its header, byte for byte; none when absent. */
  readonly report?: string | undefined;
  /** What its request came to in the end, where that is more. */
  readonly whole?: string | undefined;
}

/** What a caller does, and which reports the replies must carry. All else must be as without the package. */
export interface Case {
  readonly name: string;
  readonly server: ServerName;
  /** Each on a connection of its own, one after the other. For HTTP/2 the path alone. */
  readonly exchanges: readonly (readonly Step[])[];
  readonly replies: readonly ExpectedReply[];
  /** A report that no header carries, under the name that the server noted it by. */
  readonly noted?: { readonly as: string; readonly report: string };
  /** What the body holds with the package alone. */
  readonly inBody?: string;
  /** Opens the connection, and takes these steps on it, before telemetry starts. */
  readonly early?: readonly Step[];
}

/** A case of one GET and one reply. */
export function get(
  name: string,
  path: string,
  report?: string,
  server: ServerName = 'plain',
  ...headers: string[]
): Case {
  return { name, server, exchanges: [[lastRequest('GET', path, headers)]], replies: [{ path, report }] };
}
