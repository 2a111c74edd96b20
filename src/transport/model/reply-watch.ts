import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { safeGet } from '../../failures/foreign-error.ts';
import { guarded } from '../guard.ts';

/** Lowest status whose body is watched. */
const FAILING_STATUS = 400;

/** Hears how the reply to one fetch goes on, beside the app's own reading of it. */
export interface ReplyWatcher {
  /** The request whose reply it hears of; the last one that was sent, after redirects. */
  request: object | undefined;
  /** Whether requests that are sent now are its own. */
  readonly isOpen: boolean;
  /** A new request was sent: what was heard of an earlier one counts no more. */
  sent(): void;
  /** Bytes of a failing reply's body, as they came from the socket. */
  bytes(chunk: Uint8Array): void;
  /** The whole reply arrived. */
  ended(): void;
  /** The reply broke off, or its reader gave it up. */
  broke(error: unknown): void;
}

const storage = new AsyncLocalStorage<ReplyWatcher>();
const watchers = new WeakMap<object, ReplyWatcher>();
let listening = false;

/**
 * Runs `fn`, which fetches; what undici, Node's own or the package, tells of its requests goes to `watcher`. The
 * Response is never touched: `clone()` and `tee()` hold memory, and cancelling one branch waits for the other
 * (open-telemetry/opentelemetry-js#4888). A fetch that is not undici's is not heard of.
 */
export function watchReply<T>(watcher: ReplyWatcher, fn: () => T): T {
  if (!listening) listen();
  return storage.run(watcher, fn);
}

function listen(): void {
  listening = true;
  on('create', (request) => {
    // The async context is the caller's here; later it can be that of another request on the same socket.
    const watcher = storage.getStore();
    if (watcher?.isOpen !== true) return;
    watcher.request = request;
    watcher.sent();
    watchers.set(request, watcher);
  });
  on('headers', (request, message) => {
    const status = safeGet(safeGet(message, 'response'), 'statusCode');
    if (typeof status === 'number' && status >= FAILING_STATUS && watcherOf(request) !== undefined) watchBytes(request);
  });
  on('bodyChunkReceived', (request, message) => pass(request, safeGet(message, 'chunk')));
  on('trailers', (request) => watcherOf(request)?.ended());
  on('error', (request, message) => watcherOf(request)?.broke(safeGet(message, 'error')));
}

/** Node makes an uncaughtException of a subscriber that throws. */
function on(moment: string, hear: (request: object, message: unknown) => void): void {
  subscribe(`undici:request:${moment}`, (message) => {
    guarded('watching a model’s reply', () => {
      const request = safeGet(message, 'request');
      if (typeof request === 'object' && request !== null) hear(request, message);
    });
  });
}

function watcherOf(request: object): ReplyWatcher | undefined {
  const watcher = watchers.get(request);
  return watcher?.request === request ? watcher : undefined;
}

/** Chunks that the channel told of; on Node 24 a request has both ways. */
const told = new WeakSet<object>();

function pass(request: object, chunk: unknown): void {
  if (!(chunk instanceof Uint8Array)) return;
  told.add(chunk);
  watcherOf(request)?.bytes(chunk);
}

/** Node 20 and 22 have no channel for body chunks, only the method that undici's parser hands them to. */
function watchBytes(request: object): void {
  const onData = safeGet(request, 'onData');
  if (typeof onData !== 'function') return;
  Object.defineProperty(request, 'onData', {
    configurable: true,
    writable: true,
    value(this: unknown, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(onData, this, args);
      const [chunk] = args;
      if (chunk instanceof Uint8Array && !told.has(chunk))
        guarded('reading a model’s reply', () => pass(request, chunk));
      return result;
    },
  });
}
