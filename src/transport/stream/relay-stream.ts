import type { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { shown } from '../../records/text.ts';
import { relayIterable } from './relay-iterable.ts';
import { type NodeStream, relayNodeStream } from './relay-node.ts';
import { RelayObserver } from './relay-observer.ts';
import { relayWebStream } from './relay-web.ts';

/**
 * A pass-through for another server's event stream that records the failure report which its terminal event carries
 * (wire key `nemo_gym_failure_report`). Read from what is given back instead of from `body`.
 *
 * It gives back the same kind of stream with the same chunks, not copies of them, one for each that comes: nothing is
 * delayed, and nothing is read that nobody asked for. Errors pass on; so does a cancel, `destroy` or `return`. The
 * report is recorded once, however the stream ends, in the log of the request in which `relayStream` was called.
 *
 * - A web stream (`response.body` of `fetch`) gives a web stream; a byte stream becomes a default one, without BYOB
 *   readers, since those would take each chunk's memory away.
 * - A Node stream (`http.IncomingMessage`, `Readable`) gives a `Readable`, of text when `body` has an encoding.
 * - Any other async iterable gives an async iterator.
 * - `null` and `undefined` (a reply without a body) come back as they are.
 *
 * Of a compressed stream nothing is read.
 *
 * @throws TypeError when `body` is none of these, or a web stream that is locked already
 */
export function relayStream<T extends null | undefined>(body: T): T;
export function relayStream<T>(body: ReadableStream<T>): ReadableStream<T>;
export function relayStream<T>(body: ReadableStream<T> | null): ReadableStream<T> | null;
export function relayStream(body: Readable | NodeJS.ReadableStream): Readable;
export function relayStream<T>(body: AsyncIterable<T>): AsyncIterableIterator<T>;
export function relayStream(body: unknown): unknown {
  if (body === null || body === undefined) return body;
  if (isWebStream(body)) return relayWebStream(body, new RelayObserver());
  if (isNodeStream(body)) return relayNodeStream(body, new RelayObserver());
  if (isAsyncIterable(body)) return relayIterable(body, new RelayObserver());
  throw new TypeError(`Cannot relay ${shown(body)}: give it a web stream, a Node stream or an async iterable`);
}

function hasMethods(value: unknown, ...names: readonly PropertyKey[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** By its methods: the stream may be one of another package or another realm. */
function isWebStream(value: unknown): value is ReadableStream<unknown> {
  return hasMethods(value, 'getReader', 'cancel');
}

function isNodeStream(value: unknown): value is NodeStream {
  return hasMethods(value, 'pipe', 'on', 'pause', 'resume');
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return hasMethods(value, Symbol.asyncIterator);
}
