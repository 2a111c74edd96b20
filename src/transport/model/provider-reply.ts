import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { safeGet } from '../../failures/foreign-error.ts';
import { isPlainObject } from '../../records/json.ts';
import { boundedText } from '../../records/text.ts';
import { type HeadersLike, headerValues } from '../headers-like.ts';

/** Most of a failing reply's body that is looked at, in bytes; error documents are small. */
const MAX_BYTES = 64 * 1024;
/** Longest text that a provider's header or error code gives to an event. */
const FACT_MAX_CHARS = 200;

/** The start of a failing reply's body, kept until the attempt is described. */
export class ErrorBody {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** Keeps a copy: a view would keep all of what was read from the socket at once. */
  add(chunk: Uint8Array): void {
    if (this.#bytes + chunk.length > MAX_BYTES) this.clear(MAX_BYTES);
    else {
      this.#chunks.push(Buffer.from(chunk));
      this.#bytes += chunk.length;
    }
  }

  clear(bytes = 0): void {
    this.#chunks = [];
    this.#bytes = bytes;
  }

  /**
   * The provider's error code in a body of JSON: `error.code`, else `error.type`, also at the top level; `undefined` where
   * the body is something else, is not there, or is longer than what is kept.
   */
  code(headers: HeadersLike | undefined): string | undefined {
    if (this.#chunks.length === 0) return undefined;
    try {
      const body: unknown = JSON.parse(decoded(Buffer.concat(this.#chunks), headers).toString('utf8'));
      return isPlainObject(body) ? (codeOf(body.error) ?? codeOf(body)) : undefined;
    } catch {
      // Not JSON, or cut off: nothing was observed.
      return undefined;
    }
  }
}

function codeOf(error: unknown): string | undefined {
  if (!isPlainObject(error)) return undefined;
  return fact(error.code) ?? fact(error.type);
}

function fact(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? boundedText(value, FACT_MAX_CHARS) : undefined;
}

/** These bytes are as they were sent; what stands in them is bounded again, small bytes can be large text. */
function decoded(body: Buffer, headers: HeadersLike | undefined): Buffer {
  const options = { maxOutputLength: MAX_BYTES };
  switch (headerValues(headers, 'content-encoding')[0]?.trim().toLowerCase()) {
    case 'gzip':
      return gunzipSync(body, options);
    case 'deflate':
      return inflateSync(body, options);
    case 'br':
      return brotliDecompressSync(body, options);
    default:
      return body;
  }
}

/** What a provider's reply says in headers. */
export interface ReplyHeaderFacts {
  readonly requestId: string | undefined;
  readonly retryAfterS: number | undefined;
}

/** The request id under the names that OpenAI and Anthropic use, and how long to wait, from any of its three forms. */
export function headerFacts(headers: HeadersLike | undefined): ReplyHeaderFacts {
  return {
    requestId: fact(headerValues(headers, 'x-request-id')[0] ?? headerValues(headers, 'request-id')[0]),
    retryAfterS: retryAfter(headerValues(headers, 'retry-after-ms')[0], headerValues(headers, 'retry-after')[0]),
  };
}

function retryAfter(milliseconds: string | undefined, given: string | undefined): number | undefined {
  const ms = Number.parseFloat(milliseconds ?? '');
  if (ms >= 0) return ms / 1000;
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (seconds >= 0) return seconds;
  const until = Date.parse(given) - Date.now();
  return Number.isNaN(until) ? undefined : Math.max(0, Math.round(until / 1000));
}

/** The headers of whatever a fetch was given or gave back. */
export function headersOf(holder: unknown): HeadersLike | undefined {
  const headers = safeGet(holder, 'headers');
  return isHeadersLike(headers) ? headers : undefined;
}

function isHeadersLike(headers: unknown): headers is HeadersLike {
  return typeof headers === 'object' && headers !== null;
}
