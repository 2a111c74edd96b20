import { HEADER_NAME, OMITTED_HEADER_VALUE } from '../records/wire.ts';
import { announceReply } from '../transport/announce.ts';
import { failLog, failServedRequest, openScope, runInScope } from '../transport/fail-served-request.ts';
import { guarded } from '../transport/guard.ts';
import { FailureHeader, headerValue } from '../transport/header.ts';
import type { FailureReportsOptions } from '../transport/listener.ts';
import { announceOwnFailure } from '../transport/observe.ts';
import { RequestFailureLog } from '../transport/request-log.ts';
import type { ReplyLike, RequestLike } from '../transport/serve-request.ts';

export type { FailureReportsOptions } from '../transport/listener.ts';

/** What is asked of a Hono context. */
export interface HonoContext {
  readonly env: unknown;
  /** What Hono caught and had answered by an `onError`. */
  readonly error: Error | undefined;
  readonly finalized: boolean;
  readonly res: { readonly headers: Headers };
  header(name: string, value: string): void;
}

/**
 * Hono middleware: `app.use(failureReports())`, before the routes. What Hono catches, and answers with `onError`, becomes
 * the request's own failure when there is an `NgFailureEvent` in its chain. Hono's handling, status and body stay.
 *
 * On `@hono/node-server` the reply gets its header at the last moment before it leaves, also without the
 * instrumentation. Anywhere else (`app.request()`, other runtimes) the middleware keeps a log and sets the header on the
 * response when the handlers are done.
 */
export function failureReports(
  options: FailureReportsOptions = {},
): (context: HonoContext, next: () => Promise<void>) => Promise<void> {
  return function failureReportsOfHono(context, next) {
    const node = nodeBindings(context.env);
    if (node === undefined) return onResponse(context, next, options);
    const served = openScope(node.incoming, node.outgoing, options);
    return runInScope(served, () => namingFailure(context, next, (error) => failServedRequest(node.incoming, error)));
  };
}

async function namingFailure(
  context: HonoContext,
  next: () => Promise<void>,
  fail: (error: unknown) => void,
): Promise<void> {
  try {
    await next();
  } catch (error) {
    // The app's own onError threw, or what was thrown is no Error.
    fail(error);
    throw error;
  }
  if (context.error !== undefined) fail(context.error);
}

/** Without a Node server there is no last moment: what happens while the body streams is in no header. */
function onResponse(context: HonoContext, next: () => Promise<void>, options: FailureReportsOptions): Promise<void> {
  // Registered twice, or called by an app that has the log already: one of us acts.
  const current = RequestFailureLog.current();
  if (current !== undefined) return namingFailure(context, next, (error) => failLog(current, error));
  return RequestFailureLog.capture(async (log) => {
    try {
      await namingFailure(context, next, (error) => failLog(log, error));
    } finally {
      guarded('setting the reply header', () => setHeader(context, log, options));
    }
  });
}

function setHeader(context: HonoContext, log: RequestFailureLog, options: FailureReportsOptions): void {
  log.replied = true;
  // Asking for `res` makes one where no handler did, and Hono would then send it.
  const set = context.finalized ? FailureHeader.decode(context.res.headers) : undefined;
  const own = log.replyReport();
  const report = set === undefined ? own : set.merge(own);
  const value = own.isEmpty ? undefined : headerValue(report, options.maxHeaderBytes);
  if (value !== undefined && context.finalized) context.header(HEADER_NAME, value);
  announceOwnFailure(log);
  if (report.isEmpty) return;
  const lost = value === OMITTED_HEADER_VALUE && report.events.size > 0;
  const sent = !context.finalized ? 'nothing' : lost ? 'omitted' : 'report';
  announceReply({ log, report, sent, error: log.ownError });
}

interface NodeBindings {
  readonly incoming: RequestLike;
  readonly outgoing: ReplyLike;
}

/** What node-server gives its apps as `c.env`. */
function nodeBindings(env: unknown): NodeBindings | undefined {
  return isNodeBindings(env) ? env : undefined;
}

function isNodeBindings(env: unknown): env is NodeBindings {
  if (typeof env !== 'object' || env === null || !('incoming' in env) || !('outgoing' in env)) return false;
  return hasMethods(env.incoming, 'emit', 'listenerCount') && hasMethods(env.outgoing, 'writeHead', 'emit');
}

function hasMethods(value: unknown, ...names: string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}
