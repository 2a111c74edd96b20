import { AsyncLocalStorage } from 'node:async_hooks';
import { UndiciWatch } from '../undici.ts';

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

const watch = new UndiciWatch('watching a model’s reply', {
  created: (request) => {
    const watcher = storage.getStore();
    if (watcher?.isOpen !== true) return;
    watcher.request = request;
    watcher.sent();
    watchers.set(request, watcher);
  },
  replied: (request, { statusCode }) => {
    if (statusCode < FAILING_STATUS || watcherOf(request) === undefined) return undefined;
    return (chunk) => watcherOf(request)?.bytes(chunk);
  },
  ended: (request) => watcherOf(request)?.ended(),
  broke: (request, error) => watcherOf(request)?.broke(error),
});

/**
 * Runs `fn`, which fetches; what undici, Node's own or the package, tells of its requests goes to `watcher`. A fetch
 * that is not undici's is not heard of.
 */
export function watchReply<T>(watcher: ReplyWatcher, fn: () => T): T {
  watch.enable();
  return storage.run(watcher, fn);
}

function watcherOf(request: object): ReplyWatcher | undefined {
  const watcher = watchers.get(request);
  return watcher?.request === request ? watcher : undefined;
}
