import { UsageError } from '../arguments.ts';
import { oneLine } from '../text.ts';

/** Where Jaeger's page and query API are by default. */
export const DEFAULT_JAEGER_URL = 'http://localhost:16686';
/** Headers for each request, e.g. of a proxy that wants a token: `name=value,name2=value2`, percent-encoded. */
export const HEADERS_VARIABLE = 'NG_FAILURES_JAEGER_HEADERS';

/** Where Jaeger is, and what to say of oneself there. */
export interface JaegerAddress {
  /** Address with the path that Jaeger is served under, without a slash at the end; nothing secret in it. */
  readonly base: string;
  /** Headers for each request, `authorization` of the address's user and password among them. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Reads an address as a person gives it.
 *
 * @throws UsageError that says what is wrong with it; a password in it is not repeated
 */
export function jaegerAddress(text: string, env: Readonly<Record<string, string | undefined>> = {}): JaegerAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new UsageError(`${withoutSecrets(text)} is no address of Jaeger; give one such as ${DEFAULT_JAEGER_URL}`);
  }
  const headers: Record<string, string> = {};
  if (url.username !== '' || url.password !== '') {
    const pair = `${decoded(url.username)}:${decoded(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  Object.assign(headers, headersFrom(env[HEADERS_VARIABLE] ?? ''));
  return { base: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, headers };
}

/** `text` for a message: what may be a user and password is left out. */
function withoutSecrets(text: string): string {
  return `"${oneLine(text.replace(/^([a-z][a-z\d+.-]*:\/*)?[^/]*@/i, '$1'))}"`;
}

function headersFrom(list: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of list.split(',')) {
    if (pair.trim() === '') continue;
    const at = pair.indexOf('=');
    const name = decoded(pair.slice(0, Math.max(at, 0)).trim()).toLowerCase();
    const value = decoded(pair.slice(at + 1).trim());
    if (at === -1 || !isHeader(name, value)) {
      const where = name === '' ? 'a part without a name' : `"${oneLine(name, 40)}"`;
      throw new UsageError(`${HEADERS_VARIABLE} has ${where} that is no header; its form is name=value,name2=value2`);
    }
    headers[name] = value;
  }
  return headers;
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]]);
    return true;
  } catch {
    return false;
  }
}

/** Percent-decoded, or as it is where that is not possible. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
