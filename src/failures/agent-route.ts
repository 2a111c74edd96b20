import { sharedSymbol } from '../records/shared-state.ts';
import { shown } from '../records/text.ts';
import { CHAIN_MAX_LINKS } from '../records/wire.ts';
import { safeGet } from './foreign-error.ts';
import { NgFailureEvent } from './ng-failure-event.ts';

/** The same in every copy of the package: one copy may make the failure and another one answer the request. */
const ROUTE = sharedSymbol('agent-route');

/**
 * The agent boundary's failure of one route's operation, above whatever ended it. Its kind is `agent_run_error`; its
 * reason names the operation only, because the cause's own event or `foreign_error` tells the rest.
 *
 * @param operation - what the route was doing, e.g. `run`, `responses`, `verify`
 * @param cause - what ended it; it becomes the explicit `cause`, and its reply is the one that the route sends, see
 * {@link routeReplyError}
 * @throws TypeError when `operation` is no text
 */
export function agentRouteFailure(operation: string, cause: unknown): NgFailureEvent {
  if (typeof operation !== 'string' || operation === '') {
    throw new TypeError(`agentRouteFailure: operation is ${shown(operation)}: give the route's operation, e.g. "run"`);
  }
  const failure = new NgFailureEvent({
    boundary: 'agent',
    failureKind: 'agent_run_error',
    failureReason: `The agent's ${operation} route failed`,
    operation,
    cause,
  });
  return markAgentRoute(failure);
}

/**
 * The error whose HTTP reply a route sends: of a failure that {@link agentRouteFailure} made it is the cause, through
 * several of them; any other error is given back as it is. So an agent event changes neither status nor body.
 */
export function routeReplyError(error: unknown): unknown {
  const seen = new Set<unknown>();
  let answering = error;
  while (isAgentRouteFailure(answering) && seen.size <= CHAIN_MAX_LINKS) {
    seen.add(answering);
    const cause = safeGet(answering, 'cause');
    // One without a cause, or in a circle of its own kind, has no other reply than its own.
    if (cause === undefined || cause === null || seen.has(cause)) return answering;
    answering = cause;
  }
  return answering;
}

/** Whether `value` was made by {@link agentRouteFailure}, in any copy of the package. Never throws. */
export function isAgentRouteFailure(value: unknown): value is NgFailureEvent {
  if (!NgFailureEvent.is(value)) return false;
  try {
    return Reflect.get(value, ROUTE) === true;
  } catch {
    return false;
  }
}

/**
 * Marks an event as an agent route's failure, for one that came from another thread.
 * @internal
 */
export function markAgentRoute(event: NgFailureEvent): NgFailureEvent {
  return Object.defineProperty(event, ROUTE, { value: true });
}
