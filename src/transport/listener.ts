import { types } from 'node:util';
import { context } from '@opentelemetry/api';
import { guarded } from './guard.ts';
import { readMaxHeaderBytes } from './header-limit.ts';
import { failRequest } from './observe.ts';
import { LOG_CONTEXT_KEY, requestStorage } from './request-scope.ts';
import { type ReplyLike, type RequestLike, serveRequest } from './serve-request.ts';
import { SERVED, type ServedOptions } from './served-request.ts';

/** Options of {@link withFailureReports}. */
export interface FailureReportsOptions {
  /** Most bytes of the report header's value: an integer 16–4,096, default 4,096. */
  readonly maxHeaderBytes?: number | undefined;
}

/**
 * A request listener whose replies carry failure reports, for any `(req, res)` server, `http2` and servers without a
 * socket included. What `listener` throws or rejects with becomes the request's own failure and goes on unchanged. Where
 * the instrumentation serves the request already, only that is added.
 *
 * @returns a listener that gives back what `listener` does
 */
export function withFailureReports<Req extends RequestLike, Res extends ReplyLike, Rest extends unknown[], Result>(
  listener: (request: Req, response: Res, ...rest: Rest) => Result,
  options: FailureReportsOptions = {},
): (request: Req, response: Res, ...rest: Rest) => Result {
  const servedOptions: ServedOptions = { maxHeaderBytes: readMaxHeaderBytes(options.maxHeaderBytes) };
  return function listenerWithReports(this: unknown, request, response, ...rest) {
    const served =
      request[SERVED] ?? guarded('opening a request', () => serveRequest(request, response, servedOptions));
    const args: [Req, Res, ...Rest] = [request, response, ...rest];
    if (served?.log === undefined) return Reflect.apply(listener, this, args);
    const inContext = context.active().setValue(LOG_CONTEXT_KEY, served.log);
    return context.with(inContext, () =>
      requestStorage.run(served, () => namingFailures(() => Reflect.apply(listener, this, args))),
    );
  };
}

function namingFailures<Result>(run: () => Result): Result {
  try {
    const result = run();
    // Only a real promise: asking a lazy thenable for its result would start its work.
    return types.isPromise(result) ? (passingOn(result) as Result) : result;
  } catch (error) {
    failRequest(error);
    throw error;
  }
}

/** A promise in place of the listener's own, so that a rejection nobody handles stays one. */
function passingOn(result: Promise<unknown>): Promise<unknown> {
  return result.then(undefined, (error: unknown) => {
    failRequest(error);
    throw error;
  });
}
