import { expect, test, vi } from 'vitest';
import { agentRouteFailure, isAgentRouteFailure, routeReplyError } from '../../src/failures/agent-route.ts';
import { failureReportFor } from '../../src/failures/cause-chain.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';

class HttpError extends Error {
  readonly status = 503;
}

test('an agent route failure is the agent boundary’s event above its cause', () => {
  const cause = new HttpError('POST https://user:hunter2@model/v1 said 503, api_key=abc123def');
  const failure = agentRouteFailure('run', cause);
  expect(failure.cause).toBe(cause);
  expect(failure.toRecord()).toMatchObject({
    boundary: 'agent',
    failure_kind: 'agent_run_error',
    operation: 'run',
    foreign_error: { exception_type: 'HttpError', http_status: 503 },
  });
  expect(failure.toRecord()).not.toHaveProperty('http_status');
});

test('its reason tells nothing of the cause, whose message may hold a secret', () => {
  const failure = agentRouteFailure('responses', new Error('key sk-verysecretkey refused'));
  expect(failure.failureReason).toContain('responses');
  expect(JSON.stringify(failureReportFor(failure))).not.toContain('verysecretkey');
});

test('an agent route failure links the event that caused it', () => {
  const model = new NgFailureEvent({ boundary: 'model', failureKind: 'transport_timeout', failureReason: 'slow' });
  const failure = agentRouteFailure('run', new Error('call failed', { cause: model }));
  expect(failureReportFor(failure).events.get(failure.eventId)?.cause_id).toBe(model.eventId);
});

test.each([undefined, null, '', 7])('an operation of %j is refused by name', (operation) => {
  expect(() => Reflect.apply(agentRouteFailure, undefined, [operation, new Error()])).toThrow(
    /agentRouteFailure: operation is .*give/,
  );
});

test('a route answers with the reply of its failure’s cause', () => {
  const cause = new HttpError('busy');
  expect(routeReplyError(agentRouteFailure('run', cause))).toBe(cause);
});

test('a route failure inside another one answers with the innermost cause', () => {
  const cause = new HttpError('busy');
  expect(routeReplyError(agentRouteFailure('run', agentRouteFailure('responses', cause)))).toBe(cause);
});

test('any other error answers for itself, also an agent event of another make', () => {
  const route = agentRouteFailure('run', new HttpError('busy'));
  const wrapped = new Error('wrapped', { cause: route });
  const agent = new NgFailureEvent({
    boundary: 'agent',
    failureKind: 'agent_run_error',
    failureReason: 'broke',
    operation: 'run',
    cause: new HttpError('busy'),
  });
  for (const error of [wrapped, agent, new HttpError('x'), 'text', 0, null, undefined, { cause: route }]) {
    expect(routeReplyError(error)).toBe(error);
  }
});

test('a cause that is text or a number is the answer too', () => {
  expect(routeReplyError(agentRouteFailure('run', 'thrown text'))).toBe('thrown text');
});

test.each([undefined, null])('a route failure whose cause is %s answers for itself', (cause) => {
  const failure = agentRouteFailure('run', cause);
  expect(routeReplyError(failure)).toBe(failure);
});

test('route failures that cause each other end the search', () => {
  const outer = agentRouteFailure('run', undefined);
  const inner = agentRouteFailure('responses', outer);
  outer.cause = inner;
  expect(routeReplyError(outer)).toBe(inner);
});

test('an endless chain of route failures ends the search', () => {
  const endless = () =>
    Object.defineProperty(agentRouteFailure('run', undefined), 'cause', { get: (): unknown => endless() });
  expect(isAgentRouteFailure(routeReplyError(endless()))).toBe(true);
});

test('a cause that cannot be read, and a hostile object, never throw', () => {
  const unreadable = Object.defineProperty(agentRouteFailure('run', undefined), 'cause', {
    get: () => {
      throw new Error('no');
    },
  });
  const refusing = new Proxy(agentRouteFailure('run', undefined), {
    get: () => {
      throw new Error('no');
    },
  });
  expect(routeReplyError(unreadable)).toBe(unreadable);
  expect(routeReplyError(refusing)).toBe(refusing);
});

test('two copies of the package know each other’s route failures, one inside the other', async () => {
  vi.resetModules();
  const other = await import('../../src/failures/agent-route.ts');
  expect(other.agentRouteFailure).not.toBe(agentRouteFailure);
  const cause = new HttpError('busy');
  expect(routeReplyError(other.agentRouteFailure('run', agentRouteFailure('responses', cause)))).toBe(cause);
  expect(other.routeReplyError(agentRouteFailure('run', other.agentRouteFailure('responses', cause)))).toBe(cause);
});
