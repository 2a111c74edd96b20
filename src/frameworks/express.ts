import { guarded } from '../transport/guard.ts';
import { failServedRequest, openScope, runInScope } from '../transport/reply/fail-served-request.ts';
import { type FailureReportsOptions, readReplyOptions } from '../transport/reply/reply-options.ts';
import type { ReplyLike, RequestLike } from '../transport/reply/serve-request.ts';
import { hearErrors } from './express-router.ts';

export type { FailureReportsOptions } from '../transport/reply/reply-options.ts';

type Next = (error?: unknown) => void;

/** Opens the request's scope where there is none. */
export type ExpressHandler = (request: RequestLike, response: ReplyLike, next: Next) => void;

/** Names the request's own failure and passes the error on. */
export type ExpressErrorHandler = (error: unknown, request: RequestLike, response: ReplyLike, next: Next) => void;

/**
 * Middleware for Express 5 and 4: `app.use(failureReports())`, after the routes. An error of a route, of middleware or of
 * an error handler becomes its request's own failure when there is an `NgFailureEvent` in its chain; the last one counts.
 * Express's handling, status and body stay.
 *
 * It may stand anywhere. Before the routes it also hears errors that a router of their own answers, and gives requests
 * that the instrumentation does not serve a log from their start; after them such a request has one from its error on.
 *
 * @returns a handler and an error handler: `app.use` takes both at once
 */
export function failureReports(options: FailureReportsOptions = {}): [ExpressHandler, ExpressErrorHandler] {
  const checked = readReplyOptions(options);
  const fail = (error: unknown, request: RequestLike, response: ReplyLike): void => {
    openScope(request, response, checked);
    failServedRequest(request, error);
  };
  return [
    function failureReportsOfExpress(request, response, next) {
      guarded('finding Express’s error handlers', () => hearErrors(request, fail));
      runInScope(openScope(request, response, checked), next);
    },
    function failureOfExpress(error, request, response, next) {
      guarded('finding Express’s error handlers', () => hearErrors(request, fail));
      fail(error, request, response);
      next(error);
    },
  ];
}
