import type { FailureReport } from '../../records/failure-report.ts';
import { sharedSymbol } from '../../records/shared-state.ts';
import { ROLLOUT_PATH_PREFIX } from '../../records/wire.ts';
import { RequestFailureLog } from '../request-log.ts';
import type { RequestScope } from '../request-scope.ts';
import type { ReplyPolicy } from './policy.ts';

/** What all requests of one server hook have in common. */
export interface ServedOptions {
  /** Most bytes of the report header's value; default and upper bound 4,096. */
  readonly maxHeaderBytes?: number | undefined;
  /** What callers may see; default: everything. Asked when there is something to send. */
  readonly policy?: ReplyPolicy | undefined;
  /** Called when a request has closed; must not throw. */
  readonly onClosed?: (() => void) | undefined;
}

/** A request being served, from its start until its reply closes. */
export interface ServedRequest extends RequestScope {
  readonly options: ServedOptions;
  /** What the policy said of the caller, once it was asked. */
  mayHaveReport: boolean | undefined;
  /** The path, when it names a rollout. Taken at the start: routers shorten `request.url` on the way. */
  readonly rolloutPath: string | undefined;
  /** What was announced of the reply so far, and how many events had been dropped then. */
  announced: FailureReport | undefined;
  announcedDropped: number;
}

declare const servedKey: unique symbol;
/**
 * Holds a request's {@link ServedRequest}, on the request and on its reply. It is also the mark by which two copies of
 * the package, or two instances, know that one of them acts already.
 */
// Only a literal Symbol.for() has a type of its own that TypeScript takes as a key.
export const SERVED: typeof servedKey = sharedSymbol('served-request') as typeof servedKey;

/** The record of a request that starts at `url`. */
export function newServedRequest(url: string | undefined, options: ServedOptions): ServedRequest {
  const log = new RequestFailureLog();
  const served: ServedRequest = {
    log,
    request: undefined,
    options,
    mayHaveReport: undefined,
    rolloutPath: url?.startsWith(ROLLOUT_PATH_PREFIX) === true ? url : undefined,
    announced: undefined,
    announcedDropped: 0,
  };
  log.served = served;
  return served;
}

/** The mark of a request that is left alone: without a log, nobody else opens a scope for it either. */
export function ignoredRequest(): ServedRequest {
  return { ...newServedRequest(undefined, {}), log: undefined };
}

/** The rollout that a path `/ng-rollout/<rollout_id>/…` belongs to; `undefined` when the id is empty. */
export function rolloutIdOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const [id = ''] = path.slice(ROLLOUT_PATH_PREFIX.length).split(/[/?#]/, 1);
  if (id === '') return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    // A stray percent sign: the id as it was written is better than none.
    return id;
  }
}
