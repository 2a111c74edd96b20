import type { IncomingMessage } from 'node:http';
import { guarded } from '../transport/guard.ts';
import type { Call } from './call.ts';

/** Names the work in a diagnostic line. */
const WATCHING = 'watching an event stream';

/**
 * Reads an event stream's bytes as `node:http` hands them to the reply, without a listener for them: a `data` or
 * `response` listener would start the stream, or keep Node from discarding it (opentelemetry-js#1997, #4332, #5477).
 */
export function watchIncoming(response: IncomingMessage, call: Call): void {
  const { push } = response;
  response.push = function pushWatched(this: IncomingMessage, chunk: unknown, encoding?: BufferEncoding): boolean {
    guarded(WATCHING, () => {
      if (chunk === null) call.ended();
      else if (chunk instanceof Uint8Array) call.received(chunk);
    });
    return Reflect.apply(push, this, [chunk, encoding]);
  };
  // A peer that cuts the stream gives no end, only this.
  response.once('close', () => guarded(WATCHING, () => call.ended()));
}

/** What undici's channels name a request by. Until Node 24 the body's bytes pass its `onData`. */
export interface UndiciRequest {
  readonly origin?: unknown;
  readonly path?: unknown;
  onData?(...args: unknown[]): unknown;
}

/**
 * Feeds what passes a request's own `onData`. Where there is a channel for the chunks too, that comes first: what it
 * has fed is not fed again.
 */
export function watchOnData(request: UndiciRequest, call: Call): void {
  const { onData } = request;
  if (onData === undefined) return;
  request.onData = function onDataWatched(this: UndiciRequest, ...args: unknown[]): unknown {
    const before = call.chunks;
    const result: unknown = Reflect.apply(onData, this, args);
    const [chunk] = args;
    if (call.chunks === before && chunk instanceof Uint8Array) guarded(WATCHING, () => call.received(chunk));
    return result;
  };
}
