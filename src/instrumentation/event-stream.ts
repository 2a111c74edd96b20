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
