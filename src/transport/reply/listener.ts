import { types } from 'node:util';
import { shown } from '../../records/text.ts';
import { failServedRequest, openScope, runInScope } from './fail-served-request.ts';
import { type FailureReportsOptions, readReplyOptions } from './reply-options.ts';
import type { ReplyLike, RequestLike } from './serve-request.ts';

export type { FailureReportsOptions } from './reply-options.ts';

/**
 * A request listener whose replies carry failure reports, for any `(req, res)` server, `http2` and servers without a
 * socket included. What `listener` throws or rejects with becomes the request's own failure and goes on unchanged. Where
 * the instrumentation serves the request already, only that is added.
 *
 * @throws TypeError when `listener` is no function
 * @returns a listener that gives back what `listener` does
 */
export function withFailureReports<Req extends RequestLike, Res extends ReplyLike, Rest extends unknown[], Result>(
  listener: (request: Req, response: Res, ...rest: Rest) => Result,
  options: FailureReportsOptions = {},
): (request: Req, response: Res, ...rest: Rest) => Result {
  if (typeof listener !== 'function') {
    throw new TypeError(`withFailureReports: the listener is ${shown(listener)}: give a function (request, response)`);
  }
  const checked = readReplyOptions(options);
  return function listenerWithReports(this: unknown, request, response, ...rest) {
    const served = openScope(request, response, checked);
    const run = (): Result => Reflect.apply(listener, this, [request, response, ...rest]);
    return runInScope(served, () => namingFailures(request, run));
  };
}

function namingFailures<Result>(request: RequestLike, run: () => Result): Result {
  try {
    const result = run();
    // Only a real promise: asking a lazy thenable for its result would start its work. What is given back settles as the
    // listener's own promise does, so that its type is the same.
    return types.isPromise(result) ? (passingOn(request, result) as Result) : result;
  } catch (error) {
    failServedRequest(request, error);
    throw error;
  }
}

/** A promise in place of the listener's own, so that a rejection nobody handles stays one. */
function passingOn(request: RequestLike, result: Promise<unknown>): Promise<unknown> {
  return result.then(undefined, (error: unknown) => {
    failServedRequest(request, error);
    throw error;
  });
}
