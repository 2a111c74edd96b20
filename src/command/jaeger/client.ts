import { setTimeout as pause } from 'node:timers/promises';
import { isPlainObject } from '../../records/json.ts';
import { oneLine } from '../text.ts';
import type { JaegerAddress } from './address.ts';
import { NOT_JAEGER, networkFault, redirectFault, statusFault } from './faults.ts';
import { Gate } from './gate.ts';
import { JaegerError } from './jaeger-error.ts';

/** Requests at a time. */
const MAX_IN_FLIGHT = 8;
/** Pauses before the further tries of what may pass by itself. */
const PAUSES_MS: readonly number[] = [300, 1000];
/** Of an error's body. */
const ERROR_MAX_BYTES = 1 << 14;
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** What is asked of Jaeger. */
export interface JaegerRequest {
  /** Below the base address, e.g. `/api/services`. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Largest body that is read. */
  readonly maxBytes: number;
}

/** What one try came to: an answer, or why there is none. */
type Outcome = { readonly body: Record<string, unknown> | undefined } | { readonly error: JaegerError; again: boolean };

/** Asks Jaeger's query API: a few requests at a time, each with a time-out, and again where that may help. */
export class JaegerClient {
  readonly base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutSeconds: number;
  readonly #gate = new Gate(MAX_IN_FLIGHT);

  constructor({ base, headers }: JaegerAddress, timeoutSeconds: number) {
    this.base = base;
    this.#headers = { accept: 'application/json', ...headers };
    this.#timeoutSeconds = timeoutSeconds;
  }

  /**
   * The JSON object that Jaeger answers with; `undefined` where it knows no such thing (404 with a message of its own).
   *
   * @throws JaegerError when it cannot be had
   */
  async get(request: JaegerRequest): Promise<Record<string, unknown> | undefined> {
    return this.#gate.run(async () => {
      for (let tries = 0; ; tries += 1) {
        const outcome = await this.#try(request);
        if (!('error' in outcome)) return outcome.body;
        const wait = PAUSES_MS[tries];
        if (!outcome.again || wait === undefined) throw outcome.error;
        await pause(wait);
      }
    });
  }

  /** An error that names the address. */
  error(fault: JaegerError['fault'], text: string, cause?: unknown): JaegerError {
    return new JaegerError(fault, `${oneLine(this.base)}: ${text}`, { cause });
  }

  async #try({ path, query, maxBytes }: JaegerRequest): Promise<Outcome> {
    const url = `${this.base}${path}${query === undefined ? '' : `?${query}`}`;
    const signal = AbortSignal.timeout(this.#timeoutSeconds * 1000);
    try {
      // A redirect is not followed: headers with secrets would go with it.
      const response = await fetch(url, { headers: this.#headers, redirect: 'manual', signal });
      if (response.ok) return await this.#read(response, maxBytes);
      return await this.#refused(response);
    } catch (error) {
      if (error instanceof JaegerError) return { error, again: false };
      if (signal.aborted) {
        const text = `no whole answer within ${this.#timeoutSeconds} s; give it longer with --timeout SECONDS, or ask for less with --since`;
        return { error: this.error('timeout', text, error), again: false };
      }
      const { text, again } = networkFault(error);
      return { error: this.error('unusable', text, error), again };
    }
  }

  async #read(response: Response, maxBytes: number): Promise<Outcome> {
    const bytes = await bodyOf(response, maxBytes);
    if (bytes === undefined) {
      const text = `an answer of over ${maxBytes >> 20} MiB, which is not read; is this Jaeger's query API?`;
      throw this.error('too_large', text);
    }
    const value = parsed(bytes);
    if (isPlainObject(value)) return { body: value };
    throw this.error('unusable', value === undefined ? notJson(bytes) : NOT_JAEGER.json);
  }

  async #refused(response: Response): Promise<Outcome> {
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      const text = redirectFault(status, response.url, response.headers.get('location'));
      return { error: this.error('unusable', text), again: false };
    }
    const said = messageIn(parsed((await bodyOf(response, ERROR_MAX_BYTES)) ?? Buffer.alloc(0)));
    if (status === 404 && said !== '') return { body: undefined };
    // What Jaeger's storages say of a limit that is too high for them.
    if (/search depth|max_?\s?result|too large/i.test(said)) {
      return { error: this.error('limit_refused', statusFault(status, said)), again: false };
    }
    return { error: this.error('unusable', statusFault(status, said)), again: PASSING.has(status) };
  }
}

/** The body's bytes; `undefined` when they are more than `maxBytes`, and then the rest is not waited for. */
async function bodyOf(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes > maxBytes) return undefined;
  }
  return Buffer.concat(pieces, bytes);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function notJson(bytes: Buffer): string {
  return /^\s*</.test(bytes.toString('latin1', 0, 200)) ? NOT_JAEGER.html : NOT_JAEGER.other;
}

/** The message of Jaeger's own error form, `{"errors":[{"code":…,"msg":"…"}]}`; empty where there is none. */
function messageIn(value: unknown): string {
  const [first]: unknown[] = isPlainObject(value) && Array.isArray(value.errors) ? value.errors : [];
  return isPlainObject(first) && typeof first.msg === 'string' ? first.msg : '';
}
