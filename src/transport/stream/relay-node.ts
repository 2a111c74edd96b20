import { Readable } from 'node:stream';
import { isError } from '../../records/is-error.ts';
import type { RelayObserver } from './relay-observer.ts';

/** What a relay needs of a Node stream; streams of other packages have no more of it than this. */
export interface NodeStream {
  on(event: string, listener: (argument: unknown) => void): unknown;
  pipe(destination: never): unknown;
  pause(): unknown;
  resume(): unknown;
  destroy?(error?: Error): unknown;
  readonly destroyed?: boolean;
  readonly errored?: Error | null;
  readonly readableEnded?: boolean;
  readonly readableEncoding?: BufferEncoding | null;
  readonly readableObjectMode?: boolean;
}

/**
 * A Node stream that hands on each chunk of `source` as it comes. It keeps at most the one chunk that came before
 * `source` could be paused.
 */
export function relayNodeStream(source: NodeStream, observer: RelayObserver): Readable {
  let ended = false;
  const encoding = source.readableEncoding ?? undefined;
  const relay = new Readable({
    highWaterMark: 0,
    objectMode: source.readableObjectMode ?? true,
    ...(encoding === undefined ? undefined : { encoding }),
    read: () => void source.resume(),
    destroy(error, done) {
      observer.end();
      // A source that has ended closes by itself; when it is a socket its other side may still be in use.
      if (!ended) source.destroy?.(error ?? undefined);
      done(error);
    },
  });
  const end = (): void => {
    ended = true;
    observer.end();
    relay.push(null);
  };
  const fail = (error?: unknown): void => {
    observer.end();
    relay.destroy(isError(error) ? error : undefined);
  };
  // Before the data listener, which would start a stream that nobody paused.
  source.pause();
  source.on('data', (chunk) => {
    observer.see(chunk, encoding);
    if (!relay.push(chunk, encoding)) source.pause();
  });
  source.on('end', end);
  source.on('error', fail);
  source.on('close', () => {
    if (!ended) fail();
  });
  // What was over before will not say so again.
  if (source.readableEnded === true) end();
  else if (source.destroyed === true) fail(source.errored);
  return relay;
}
