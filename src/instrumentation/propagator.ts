import type { Context, TextMapPropagator } from '@opentelemetry/api';
import { guarded } from '../transport/guard.ts';
import type { RequestFailureLog } from '../transport/request-log.ts';
import { LOG_CONTEXT_KEY, requestStorage } from '../transport/request-scope.ts';

/**
 * Puts the log of the request being served into the OpenTelemetry context that instrumentation-http makes for it, so that
 * the log is there wherever that context is. Carries nothing between processes. Use it beside the standard propagators:
 * `new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new NgFailurePropagator()] })`. Without it
 * the log is found as well, by a storage of its own. `/register` sets it up by itself.
 */
export class NgFailurePropagator implements TextMapPropagator {
  /** Adds nothing: a report travels with the reply, not with the request. */
  inject(): void {}

  /**
   * Adds the request's log when `carrier` is the `headers` object of the request being served; else gives back `context`
   * itself. Never throws.
   */
  extract(context: Context, carrier: unknown): Context {
    const extracted = guarded('recognising a request', () => {
      const log = logOfRequestWith(carrier);
      return log === undefined ? context : context.setValue(LOG_CONTEXT_KEY, log);
    });
    return extracted ?? context;
  }

  /** No header is this one's. */
  fields(): string[] {
    return [];
  }
}

/**
 * The channel that opens a request's scope fires before instrumentation-http asks for the request's context, so that the
 * scope is the active one. Only the identity of its headers tells that the carrier is not another request's or a call's.
 */
function logOfRequestWith(carrier: unknown): RequestFailureLog | undefined {
  const scope = requestStorage.getStore();
  if (scope?.log === undefined || typeof carrier !== 'object' || carrier === null) return undefined;
  return scope.request?.headers === carrier ? scope.log : undefined;
}
