import { AsyncLocalStorage } from 'node:async_hooks';
import { createContextKey } from '@opentelemetry/api';
import { sharedState } from '../records/shared-state.ts';
import type { RequestFailureLog } from './request-log.ts';

/**
 * What follows a served request through its asynchronous work. A scope whose request has closed holds no log: the store
 * stays on a kept-alive connection, and nobody may meet an old log there.
 */
export interface RequestScope {
  log: RequestFailureLog | undefined;
  /** The request while it is served: a propagator knows it by its headers. */
  request?: { readonly headers?: unknown } | undefined;
}

/**
 * Carries the scope where no OpenTelemetry context can: without an SDK, with `OTEL_SDK_DISABLED`, and in late body
 * events, which instrumentation-http binds to its own context (newrelic/node-newrelic#2936).
 */
export const requestStorage = sharedState('request-scope', () => new AsyncLocalStorage<RequestScope>());

/** The same in every copy of the package: OpenTelemetry makes a context key of a name with `Symbol.for`. */
export const LOG_CONTEXT_KEY = createContextKey('opentelemetry-instrumentation-nemo-gym request failure log');
