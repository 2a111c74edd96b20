import { errorMonitor } from 'node:events';
import { context } from '@opentelemetry/api';
import { guarded } from '../guard.ts';
import { announceOwnFailure } from '../observe.ts';
import type { RequestFailureLog } from '../request-log.ts';
import { LOG_CONTEXT_KEY, requestStorage } from '../request-scope.ts';
import { type ReplyLike, type RequestLike, serveRequest } from './serve-request.ts';
import { SERVED, type ServedOptions, type ServedRequest } from './served-request.ts';

/** What has the mark of a served request: the request itself, and its reply. */
export interface Marked {
  readonly [SERVED]?: ServedRequest | undefined;
}

/**
 * The scope that a request is served in: the one it has, or a new one where nobody opened one before. Never throws;
 * `undefined` for something that cannot carry a scope.
 */
export function openScope(
  request: RequestLike,
  response: ReplyLike,
  options: ServedOptions,
): ServedRequest | undefined {
  return request[SERVED] ?? guarded('opening a request', () => serveRequest(request, response, options));
}

/** Runs `fn` in a request's scope, and in an OpenTelemetry context that has its log. What `fn` throws goes through. */
export function runInScope<Result>(served: ServedRequest | undefined, fn: () => Result): Result {
  const log = served?.log;
  if (served === undefined || log === undefined) return fn();
  const active = context.active();
  const inStorage = requestStorage.getStore() === served ? fn : () => requestStorage.run(served, fn);
  return active.getValue(LOG_CONTEXT_KEY) === log
    ? inStorage()
    : context.with(active.setValue(LOG_CONTEXT_KEY, log), inStorage);
}

/**
 * Names a given request's own failure, found by the mark on the request: also where its asynchronous context was lost.
 * The last call counts. Without a scope, or without an event in `error`'s chain, nothing happens. Never throws.
 */
export function failServedRequest(request: Marked | undefined, error: unknown): void {
  guarded('naming the request’s failure', () => failLog(request?.[SERVED]?.log, error));
}

/** The same for a request that only has a log. */
export function failLog(log: RequestFailureLog | undefined, error: unknown): void {
  // A framework passes the same error through several of its hooks.
  if (log === undefined || log.ownError === error) return;
  // Until the reply leaves a later error may still replace it; the carrier tells of it then.
  if (log.fail(error) === true && log.replied) announceOwnFailure(log);
}

/**
 * Names the request's own failure when a body that is a Node stream breaks off. Nobody else tells of it in time: the
 * headers have left, and frameworks hear of it when the reply has closed. Listens without handling, so that the stream's
 * errors stay whose they were.
 */
export function failWithBody(request: Marked, body: unknown): void {
  if (!isNodeStream(body)) return;
  guarded('watching a body stream', () => body.on(errorMonitor, (error) => failServedRequest(request, error)));
}

interface NodeStream {
  on(event: symbol, listener: (error: unknown) => void): unknown;
}

function isNodeStream(body: unknown): body is NodeStream {
  if (typeof body !== 'object' || body === null) return false;
  return 'pipe' in body && typeof body.pipe === 'function' && 'on' in body && typeof body.on === 'function';
}
