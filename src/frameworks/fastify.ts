import { guarded } from '../transport/guard.ts';
import { failServedRequest, failWithBody, openScope, runInScope } from '../transport/reply/fail-served-request.ts';
import { methodUnder } from '../transport/reply/method-under.ts';
import { type FailureReportsOptions, readReplyOptions } from '../transport/reply/reply-options.ts';
import type { ReplyLike, RequestLike } from '../transport/reply/serve-request.ts';

export type { FailureReportsOptions } from '../transport/reply/reply-options.ts';

interface FastifyRequestLike {
  readonly raw: RequestLike;
}

interface FastifyReplyLike {
  readonly raw: ReplyLike;
  readonly request: FastifyRequestLike;
  send(payload?: unknown): unknown;
}

type Done = () => void;

/** What is asked of a Fastify instance. */
export interface FastifyInstanceLike {
  addHook(name: 'onRequest', hook: (request: FastifyRequestLike, reply: FastifyReplyLike, done: Done) => void): unknown;
  addHook(
    name: 'onSend',
    hook: (request: FastifyRequestLike, reply: FastifyReplyLike, payload: unknown, done: Done) => void,
  ): unknown;
  addHook(
    name: 'onError',
    hook: (request: FastifyRequestLike, reply: FastifyReplyLike, error: Error, done: Done) => void,
  ): unknown;
}

/**
 * Fastify plugin: `app.register(failureReports)`, before all other plugins and routes. What a handler, hook, serializer,
 * error handler or body stream fails with becomes its request's own failure when there is an `NgFailureEvent` in its
 * chain. Fastify's handling, status and body stay.
 *
 * Where the instrumentation does not serve the request (no instrumentation, `app.inject()`, http2), the plugin gives it
 * a log and its reply the header. It acts on the instance that registers it and on all plugins registered there later.
 */
export function failureReports(instance: FastifyInstanceLike, options: FailureReportsOptions, done: Done): void {
  const checked = readReplyOptions(options);
  instance.addHook('onRequest', (request, reply, next) => {
    runInScope(openScope(request.raw, reply.raw, checked), next);
  });
  instance.addHook('onError', onError);
  instance.addHook('onSend', onSend);
  done();
}

// Fastify would otherwise give the plugin an instance of its own, and its hooks would see no route.
Object.defineProperty(failureReports, Symbol.for('skip-override'), { value: true });
Object.defineProperty(failureReports, Symbol.for('fastify.display-name'), { value: 'nemo-gym-failure-reports' });

/** Runs for the first error of a reply, before any error handler. */
function onError(request: FastifyRequestLike, reply: FastifyReplyLike, error: Error, done: Done): void {
  failServedRequest(request.raw, error);
  // The hook is not run again for what an error handler fails with; that goes through `send`.
  if (!Object.hasOwn(reply, 'send')) guarded('watching Fastify’s error handlers', () => watchSend(reply));
  done();
}

function watchSend(reply: FastifyReplyLike): void {
  reply.send = sendAfterError;
}

function sendAfterError(this: FastifyReplyLike, ...args: [payload?: unknown]): unknown {
  if (args[0] instanceof Error) failServedRequest(this.request.raw, args[0]);
  return Reflect.apply(methodUnder(this, sendOf, sendAfterError), this, args);
}

function sendOf(reply: FastifyReplyLike): FastifyReplyLike['send'] {
  return reply.send;
}

/** No hook tells of a body stream that breaks off after the headers left. */
function onSend(request: FastifyRequestLike, _reply: FastifyReplyLike, payload: unknown, done: Done): void {
  failWithBody(request.raw, payload);
  done();
}
