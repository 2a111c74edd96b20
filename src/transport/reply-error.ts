import type { NgFailureEvent, ReplyFacts } from '../failures/ng-failure-event.ts';
import { rebuildFailure } from '../failures/rebuild.ts';
import { boundedText, onOneLine, shown } from '../records/text.ts';
import { isBelieved } from './believed.ts';
import { FailureHeader } from './header.ts';
import type { HeadersLike } from './headers-like.ts';
import { observeReport } from './observe.ts';

/** Longest body that an error keeps, in code points, and what is read for it: a code point has at most four bytes. */
const BODY_MAX_CHARS = 64 * 1024;
const BODY_MAX_BYTES = 4 * BODY_MAX_CHARS;
/** Longest text of a status line in a message: a peer may put anything into it. */
const STATUS_TEXT_MAX_CHARS = 200;
/** Longest address in a message: a redirect may lead anywhere. */
const URL_MAX_CHARS = 500;

/** What {@link raiseForStatus} needs of a reply; a fetch `Response` has it all. */
export interface ReplyLike {
  /** HTTP status. */
  readonly status: number;
  /** They may hold a failure report. */
  readonly headers: HeadersLike;
  /** The status line’s text. */
  readonly statusText?: string | undefined;
  /** Address of the request, by which `client.acceptReportFrom` decides. */
  readonly url?: string | undefined;
  /** The body, of which no more is read than an error keeps; only when the status is 400 or more. */
  readonly body?: unknown;
  /** Reads the body where {@link body} is no stream; asked for only when the status is 400 or more. */
  text?(): Promise<string>;
}

/** What an {@link HttpReplyError} tells. */
export interface HttpReplyFacts {
  /** HTTP status. */
  readonly status: number;
  /** The status line’s text. */
  readonly statusText?: string | undefined;
  /** Address of the request; its query is left out. */
  readonly url?: string | undefined;
  /** The body as text. */
  readonly body?: string | undefined;
}

/** A reply with a status of 400 or more. Its `cause` is the failure that the reply reported, when it reported one. */
export class HttpReplyError extends Error implements ReplyFacts {
  /** Always `HttpReplyError`. */
  declare readonly name: 'HttpReplyError';
  /** HTTP status of the reply. */
  readonly status: number;
  /** Address of the request without its query; empty when the reply does not tell. */
  readonly url: string;
  /** The body as text, at most 65,536 code points; not enumerable, so that logs do not print it. */
  declare readonly body: string;

  constructor(facts: HttpReplyFacts & { readonly cause?: unknown }) {
    const url = withoutQuery(facts.url ?? '');
    const told = onOneLine(facts.statusText ?? '', STATUS_TEXT_MAX_CHARS);
    const text = told === '' ? String(facts.status) : `${facts.status} ${told}`;
    super(
      url === '' ? `HTTP ${text}` : `HTTP ${text} from ${onOneLine(url, URL_MAX_CHARS)}`,
      facts.cause === undefined ? {} : { cause: facts.cause },
    );
    this.status = facts.status;
    this.url = url;
    Object.defineProperty(this, 'body', { value: facts.body ?? '' });
  }
}
Object.defineProperty(HttpReplyError.prototype, 'name', {
  value: 'HttpReplyError',
  configurable: true,
  writable: true,
});

function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return (end < 0 ? url : url.slice(0, end)).replace(/\/\/[^/]*@/, '//');
}

/**
 * Throws for a reply with a status of 400 or more: the failure it reported, rebuilt with the same ids and its explicit
 * causes, `httpError` holding this hop's status and body; an {@link HttpReplyError} when it reported none. What the
 * reply's report holds is observed for the current request, whatever its status.
 *
 * @throws NgFailureEvent | HttpReplyError; a TypeError when `response` is no reply
 */
export async function raiseBoundaryFailure(response: ReplyLike): Promise<void> {
  const reply = await failedReply('raiseBoundaryFailure', response);
  if (reply === undefined) return;
  const error = new HttpReplyError(reply.facts);
  if (reply.failure === undefined) throw error;
  reply.failure.httpError = error;
  throw reply.failure;
}

/**
 * Throws an {@link HttpReplyError} for a reply with a status of 400 or more, for callers whose retries or routes depend
 * on it; the failure that the reply reported is its explicit cause. What the reply's report holds is observed for the
 * current request, whatever its status.
 *
 * @throws HttpReplyError; a TypeError when `response` is no reply
 */
export async function raiseForStatus(response: ReplyLike): Promise<void> {
  const reply = await failedReply('raiseForStatus', response);
  if (reply !== undefined) throw new HttpReplyError({ ...reply.facts, cause: reply.failure });
}

interface FailedReply {
  readonly facts: HttpReplyFacts;
  readonly failure: NgFailureEvent | undefined;
}

async function failedReply(caller: string, response: ReplyLike): Promise<FailedReply | undefined> {
  checkReply(caller, response);
  const report = isBelieved(() => response.url) ? FailureHeader.decode(response.headers) : undefined;
  if (report !== undefined) observeReport(report);
  if (response.status < 400) return undefined;
  const { status, statusText, url } = response;
  return {
    facts: { status, statusText, url, body: await bodyOf(response) },
    failure: rebuildFailure(report),
  };
}

/** A promise has no status: without this an `await` that was forgotten would pass for a reply that is well. */
function checkReply(caller: string, response: unknown): void {
  const remedy = 'give a Response (was an await forgotten?)';
  if (typeof response !== 'object' || response === null) {
    throw new TypeError(`${caller}: the response is ${shown(response)}: ${remedy}`);
  }
  const status: unknown = Reflect.get(response, 'status');
  if (typeof status !== 'number') throw new TypeError(`${caller}: status is ${shown(status)}: ${remedy}`);
}

/** The body, or nothing of it: one that was read already or breaks off must not hide the failure. */
async function bodyOf(response: ReplyLike): Promise<string> {
  try {
    const { body } = response;
    const text = isStream(body) && !body.locked ? await startOf(body) : await response.text?.();
    return boundedText(text ?? '', BODY_MAX_CHARS);
  } catch {
    return '';
  }
}

function isStream(body: unknown): body is ReadableStream<Uint8Array> {
  return body instanceof ReadableStream;
}

/** As much of the body as an error keeps; what follows is given up, for it may have no end. */
async function startOf(body: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = '';
  try {
    for (let bytes = 0; bytes <= BODY_MAX_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      bytes += value.byteLength;
    }
    return text;
  } finally {
    // Not waited for: of a reply that was cloned it ends when the copy has been read, perhaps by whoever waits for us.
    void reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}
