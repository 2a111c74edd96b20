import { oneLine } from '../text.ts';
import { DEFAULT_JAEGER_URL, HEADERS_VARIABLE } from './address.ts';

const PORT_HINT = `the query API is at ${DEFAULT_JAEGER_URL} unless it was moved`;

/** What to say of an answer that is not Jaeger's. */
export const NOT_JAEGER = {
  html: `answers with a page: this is Jaeger's page or something else; give the address of the query API, such as ${DEFAULT_JAEGER_URL}, with the path that Jaeger is served under`,
  json: `answers with JSON of another form than {"data":[…]}; is this Jaeger's query API? ${PORT_HINT}`,
  other: `answers with something that is not JSON; is this Jaeger's query API? ${PORT_HINT}`,
} as const;

/** A failed fetch: what to say of it, and whether another try may do. */
export interface NetworkFault {
  readonly text: string;
  readonly again: boolean;
}

/** Says why a request got no answer. */
export function networkFault(error: unknown): NetworkFault {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const detail = oneLine(code === '' ? (cause instanceof Error ? cause.message : String(cause)) : code, 120);
  return { text: `${networkText(code)} (${detail})`, again: code === 'ECONNRESET' || code === 'UND_ERR_SOCKET' };
}

function networkText(code: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens there; start Jaeger, or give its address: ${PORT_HINT}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'there is no host of that name; check the address';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return 'the host cannot be reached; check the address and the network';
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
    case 'EPIPE':
      return `the connection was closed without an answer; is it a port for gRPC, or should it be https? ${PORT_HINT}`;
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
    case 'EPROTO':
      return 'does not speak TLS; try http:// in place of https://';
  }
  if (/^HPE_/.test(code)) return `does not speak HTTP/1.1; is it a port for gRPC? ${PORT_HINT}`;
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/.test(code)) {
    return 'its certificate is not trusted; NODE_EXTRA_CA_CERTS=FILE names the authority that signed it';
  }
  return 'cannot be asked; check the address';
}

/** Says what an answer with an error status means. `said` is Jaeger's own message, if it gave one. */
export function statusFault(status: number, said: string): string {
  const own = said === '' ? '' : `: ${oneLine(said)}`;
  if (status === 401 || status === 403) {
    return `answers ${status}, it wants to know who asks${own}; put user and password into the address, or a header into ${HEADERS_VARIABLE} (authorization=Bearer%20…)`;
  }
  if (status === 404) {
    return `answers 404${own}; there is no query API at this address: when Jaeger is served under a path, give that too (http://host/jaeger)`;
  }
  if (status === 429) return `answers 429, too many requests${own}; try later`;
  if (status >= 500) return `answers ${status}, also when asked again${own}; see Jaeger's own log`;
  return `answers ${status}${own}`;
}

/** Says where an answer sends to, without what may be secret in it. */
export function redirectFault(status: number, from: string, location: string | null): string {
  const to = location !== null && URL.canParse(location, from) ? new URL(location, from) : undefined;
  const where = to === undefined ? 'elsewhere' : `to ${oneLine(`${to.origin}${to.pathname}`)}`;
  return `answers ${status} and sends ${where}; give the address that answers by itself (a login page cannot be passed)`;
}
