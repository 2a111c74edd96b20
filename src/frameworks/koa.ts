import { guarded } from '../transport/guard.ts';
import {
  failServedRequest,
  failWithBody,
  type Marked,
  openScope,
  runInScope,
} from '../transport/reply/fail-served-request.ts';
import { type FailureReportsOptions, readReplyOptions } from '../transport/reply/reply-options.ts';
import type { ReplyLike, RequestLike } from '../transport/reply/serve-request.ts';

export type { FailureReportsOptions } from '../transport/reply/reply-options.ts';

/** What is asked of a Koa context. */
export interface KoaContext {
  readonly req: RequestLike;
  readonly res: ReplyLike;
  readonly body: unknown;
  readonly app: { on(event: 'error', listener: (error: unknown, context?: unknown) => void): unknown };
}

/** Apps that tell us their errors already. */
const heard = new WeakSet<object>();

/**
 * Koa middleware: `app.use(failureReports())`, before all others. An error that reaches Koa, or that an error handler of
 * the app's own passes on with `ctx.app.emit('error', error, ctx)`, becomes its request's own failure when there is an
 * `NgFailureEvent` in its chain. Koa's handling, status and body stay.
 *
 * Where the instrumentation does not serve the request, the middleware gives it a log and its reply the header.
 */
export function failureReports(
  options: FailureReportsOptions = {},
): (context: KoaContext, next: () => Promise<unknown>) => Promise<void> {
  const checked = readReplyOptions(options);
  return async function failureReportsOfKoa(context, next) {
    guarded('listening for Koa’s errors', () => listenTo(context.app));
    try {
      await runInScope(openScope(context.req, context.res, checked), next);
      failWithBody(context.req, context.body);
    } catch (error) {
      // Middleware in front of us may answer it, and then Koa never hears of it.
      failServedRequest(context.req, error);
      throw error;
    }
  };
}

/**
 * Koa's event has what this middleware does not see: an error of middleware in front of it, one that the app's own
 * handler answered and passed on. It is subscribed while the first request is served and not before: Koa adds the listener that prints errors only to an app
 * that has no other.
 */
function listenTo(app: KoaContext['app']): void {
  if (heard.has(app)) return;
  heard.add(app);
  app.on('error', (error, context) => failServedRequest(requestOf(context), error));
}

function requestOf(context: unknown): Marked | undefined {
  if (typeof context !== 'object' || context === null || !('req' in context)) return undefined;
  return typeof context.req === 'object' && context.req !== null ? context.req : undefined;
}
