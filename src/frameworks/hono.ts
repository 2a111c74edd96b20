import { sharedState } from '../records/shared-state.ts';
import { HEADER_NAME } from '../records/wire.ts';
import { announceReply } from '../transport/announce.ts';
import { guarded } from '../transport/guard.ts';
import { headerValues } from '../transport/headers-like.ts';
import { failLog, failServedRequest, openScope, runInScope } from '../transport/reply/fail-served-request.ts';
import { announceReplyFailures, replyHeader } from '../transport/reply/outgoing.ts';
import { type FailureReportsOptions, type ReplyOptions, readReplyOptions } from '../transport/reply/reply-options.ts';
import type { ReplyLike, RequestLike } from '../transport/reply/serve-request.ts';
import { RequestFailureLog } from '../transport/request-log.ts';

export type { FailureReportsOptions } from '../transport/reply/reply-options.ts';

/** What is asked of a Hono context. */
export interface HonoContext {
  readonly env: unknown;
  /** What Hono caught and had answered by an `onError`. */
  readonly error: Error | undefined;
  get res(): Response;
  set res(response: Response | undefined);
  header(name: string, value: string | undefined): void;
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
  const checked = readReplyOptions(options);
  return function failureReportsOfHono(context, next) {
    const node = nodeBindings(context.env);
    if (node === undefined) return onResponse(context, next, checked);
    const served = openScope(node.incoming, node.outgoing, checked);
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

/** The logs of the requests that no Node server serves. */
const logs = sharedState('hono-logs', () => new WeakMap<object, RequestFailureLog>());

/** Without a Node server there is no last moment: what happens while the body streams is in no header. */
function onResponse(context: HonoContext, next: () => Promise<void>, options: ReplyOptions): Promise<void> {
  // Registered twice, one of us acts. A log around the app is another matter: it is that of the app's caller.
  const known = logs.get(context);
  if (known !== undefined) return namingFailure(context, next, (error) => failLog(known, error));
  return RequestFailureLog.capture(async (log) => {
    logs.set(context, log);
    log.replied = false;
    // There is no request of Node's that `sendReportTo` could be asked about, so that it counts as no.
    log.served = { options };
    try {
      await namingFailure(context, next, (error) => failLog(log, error));
    } finally {
      guarded('setting the reply header', () => setHeader(context, log));
    }
  });
}

function setHeader(context: HonoContext, log: RequestFailureLog): void {
  log.replied = true;
  const { set, report, value, isWithheld, sent } = replyHeader(log, headerValues(context.res.headers, HEADER_NAME));
  if (value !== undefined || isWithheld) putHeader(context, value);
  announceReplyFailures(log, set);
  if (!report.isEmpty) announceReply({ log, report, sent, error: log.ownError });
}

function putHeader(context: HonoContext, value: string | undefined): void {
  try {
    // Where no handler made a response Hono makes one, of the headers that are set by then.
    context.header(HEADER_NAME, value);
  } catch {
    // A fetched response's headers cannot be changed, and early releases of Hono 4 try to.
    const copy = new Response(context.res.body, context.res);
    if (value === undefined) copy.headers.delete(HEADER_NAME);
    else copy.headers.set(HEADER_NAME, value);
    // Replaced in one step it would take the old one's headers over.
    context.res = undefined;
    context.res = copy;
  }
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
