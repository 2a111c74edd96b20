import { context, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failRequest, observeFailure } from '../../src/transport/observe.ts';
import { failure } from '../support/http-failures.ts';
import { failureEvents } from '../support/otel-spans.ts';
import { abort, abortOne, startTelemetry, type Telemetry } from '../support/telemetry.ts';

let telemetry: Telemetry;
beforeAll(() => {
  telemetry = startTelemetry();
});
afterAll(() => telemetry.stop());

const PATH = '/ng-rollout/r-7/v1/responses';

it('a request that nobody answers has its rollout on the server span', async () => {
  const span = await abortOne(telemetry.tracing, () => {}, PATH);
  expect(span.attributes['nemo.gym.rollout.id']).toBe('r-7');
  expect(span.status.code).toBe(0);
});

it('and no word of ours without a rollout', async () => {
  const span = await abortOne(telemetry.tracing, () => {});
  expect(Object.keys(span.attributes).filter((name) => name.startsWith('nemo.'))).toEqual([]);
});

it('what became its own failure outside of every context is on its span', async () => {
  const span = await abortOne(
    telemetry.tracing,
    () => {
      observeFailure(failure('attempt'));
      failRequest(failure('own'));
    },
    PATH,
  );
  expect(failureEvents(span).map((event) => event['nemo.gym.failure.event_id'])).toEqual(['attempt', 'own']);
  expect(span.attributes).toMatchObject({ 'nemo.gym.failure.id': 'own', 'nemo.gym.rollout.id': 'r-7' });
});

it('whatever is active where the connection breaks stays as it is', async () => {
  const other = trace.getTracer('test').startSpan('another request');
  await context.with(trace.setSpan(context.active(), other), () =>
    abortOne(telemetry.tracing, () => void failRequest(failure('own')), PATH),
  );
  other.end();
  const ended = telemetry.tracing.spans().find(({ name }) => name === 'another request');
  expect([ended?.events, ended?.attributes]).toEqual([[], {}]);
});

it('a request that instrumentation-http ignores stays without telemetry', async () => {
  telemetry.http.setConfig({ ignoreIncomingRequestHook: () => true });
  telemetry.tracing.exporter.reset();
  await abort(() => void failRequest(failure('own')), PATH);
  telemetry.http.setConfig({});
  expect(telemetry.tracing.spans()).toEqual([]);
  expect(telemetry.complaints).toEqual([]);
});
