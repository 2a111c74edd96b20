import { sharedSymbol } from '../../records/shared-state.ts';
import { guarded } from '../guard.ts';
import { requestStorage } from '../request-scope.ts';
import { methodUnder } from './method-under.ts';
import { type CarriedReply, carryReport, isUnsettled, settleReply } from './reply-carrier.ts';
import { newServedRequest, SERVED, type ServedOptions, type ServedRequest } from './served-request.ts';

declare const previousEmitKey: unique symbol;
// As for SERVED: a key needs a type of its own.
const PREVIOUS_EMIT: typeof previousEmitKey = sharedSymbol('previous-emit') as typeof previousEmitKey;

type EmitArguments = [event: string | symbol, ...args: unknown[]];
type Emit = (...given: EmitArguments) => boolean;

interface Emitter {
  [SERVED]?: ServedRequest | undefined;
  [PREVIOUS_EMIT]?: Emit;
  emit(...given: EmitArguments): boolean;
  listenerCount(event: string | symbol): number;
}

/** A request of `node:http`, `node:https` or http2's compatibility layer. */
export interface RequestLike extends Emitter {
  /** Path and query. */
  readonly url?: string | undefined;
  /** As Node has them. */
  readonly headers?: unknown;
}

/** Its reply. */
export interface ReplyLike extends Emitter, CarriedReply {
  /** Node’s own. */
  once(event: string | symbol, listener: () => void): unknown;
}

/** Sent by nobody else: a listener for it runs where all listeners of the reply run. */
const SETTLE = Symbol('settle');

/**
 * Opens a scope for a request: its events and those of its reply run inside it, and its reply carries the report.
 * What it puts on the two objects is shared functions and one record: closures cost three times as much a request.
 *
 * @returns undefined when the request has a scope already
 */
export function serveRequest(
  request: RequestLike,
  response: ReplyLike,
  options: ServedOptions,
): ServedRequest | undefined {
  if (request[SERVED] !== undefined) return undefined;
  const served = newServedRequest(request.url, options);
  served.request = request;
  request[SERVED] = served;
  if (Object.hasOwn(request, 'emit')) request[PREVIOUS_EMIT] = request.emit;
  request.emit = emitInScope;
  if (Object.hasOwn(response, 'emit')) response[PREVIOUS_EMIT] = response.emit;
  response.emit = emitOfReply;
  carryReport(response, served);
  return served;
}

/**
 * Late body events run in the scope of their request: since Node 24 the store is otherwise lost there
 * (nodejs/node#41285, expressjs/body-parser#422).
 */
function emitInScope(this: Emitter, ...given: EmitArguments): boolean {
  const served = this[SERVED];
  const emit = this[PREVIOUS_EMIT] ?? methodUnder(this, emitOf, emitInScope);
  if (served?.log === undefined || isAtHome(this, served, given[0])) return callEmit(emit, this, given);
  return requestStorage.run(served, callEmit, emit, this, given);
}

/** The same, and the reply's end: `finish` never comes after an abort, `close` always does. */
function emitOfReply(this: ReplyLike, ...given: EmitArguments): boolean {
  const served = this[SERVED];
  const emit = this[PREVIOUS_EMIT] ?? methodUnder(this, emitOf, emitOfReply);
  if (served?.log === undefined) return callEmit(emit, this, given);
  const [event] = given;
  // Before the listeners: one of them ends the server span.
  if ((event === 'finish' || event === 'close') && isUnsettled(served)) settleWhereServed(this, served, emit);
  try {
    if (isAtHome(this, served, event)) return callEmit(emit, this, given);
    return requestStorage.run(served, callEmit, emit, this, given);
  } finally {
    if (event === 'close') closeScope(served);
  }
}

/** Whether nothing must be entered: the scope is there already, or nobody listens. Both are asked for less than entering. */
function isAtHome(emitter: Emitter, served: ServedRequest, event: string | symbol): boolean {
  return requestStorage.getStore() === served || emitter.listenerCount(event) === 0;
}

/**
 * A reply that breaks off closes in no context. What listens on it instrumentation-http has bound to its request's, so a
 * listener finds the server span that nobody could see when the request started.
 */
function settleWhereServed(reply: ReplyLike, served: ServedRequest, emit: Emit): void {
  if (Object.hasOwn(reply, 'once')) {
    guarded('settling a reply', () => {
      reply.once(SETTLE, () => requestStorage.run(served, settleReply, served));
      emit.call(reply, SETTLE);
    });
  }
  settleReply(served);
}

function emitOf(emitter: Emitter): Emit {
  return emitter.emit;
}

/** Nearly every event has none or one argument, and a spread costs more than the call. */
function callEmit(emit: Emit, emitter: Emitter, given: EmitArguments): boolean {
  if (given.length === 1) return emit.call(emitter, given[0]);
  if (given.length === 2) return emit.call(emitter, given[0], given[1]);
  return Reflect.apply(emit, emitter, given);
}

function closeScope(served: ServedRequest): void {
  if (served.log !== undefined) served.log.closed = true;
  served.log = undefined;
  served.request = undefined;
  served.options.onClosed?.();
}
