import http from 'node:http';
import { trace } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import { failRequest, observeFailure, observeModelOperation } from '../../src/transport/observe.ts';
import { raiseForStatus } from '../../src/transport/reply-error.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { failure, reportOf } from '../support/http-failures.ts';
import { type Listener, withServer } from '../support/http-raw.ts';
import { replyTo, startTelemetry, type Telemetry } from '../support/telemetry.ts';

let telemetry: Telemetry;
beforeAll(() => {
  telemetry = startTelemetry();
});
afterAll(() => {
  telemetry.stop();
  expect(telemetry.complaints).toEqual([]);
});

const LABELS = ['boundary', 'kind', 'stage', 'origin'].map((name) => `nemo.gym.failure.${name}`);

/** What `act` adds to each metric, by its labels' values: `{ 'nemo.gym.failures': { 'model/verifier_error/-/raised': 1 } }`. */
async function added(act: () => unknown): Promise<Record<string, Record<string, number>>> {
  const before = await totals();
  await act();
  const difference: Record<string, Record<string, number>> = {};
  for (const [key, value] of await totals()) {
    const [name = '', labels = ''] = key.split(' ');
    const more = value - (before.get(key) ?? 0);
    if (more !== 0) difference[name] = { ...difference[name], [labels]: more };
  }
  return difference;
}

async function totals(): Promise<Map<string, number>> {
  const all = new Map<string, number>();
  for (const [name, { points }] of await telemetry.measured()) {
    for (const { labels, value } of points) {
      const isFailure = name === 'nemo.gym.failures';
      const texts = isFailure ? LABELS.map((label) => String(labels[label] ?? '-')) : Object.values(labels).map(String);
      const total = typeof value === 'object' && value !== null && 'sum' in value ? value.sum : value;
      all.set(`${name} ${texts.join('/')}`, Number(total));
    }
  }
  return all;
}

describe('failures', () => {
  it('are counted by boundary, kind, stage and origin, each once a request', async () => {
    const serve = (): Promise<unknown> =>
      replyTo((_, res) => {
        const attempt = failure('attempt', { stage: 'agent' });
        observeFailure(attempt);
        trace.getTracer('test').startActiveSpan('inner', (span) => {
          observeFailure(attempt);
          span.end();
        });
        failRequest(failure('own', { boundary: 'agent', failure_kind: 'agent_run_error' }, attempt));
        res.end();
      });
    const once = {
      'model/transport_timeout/agent/attempt': 1,
      'agent/agent_run_error/-/raised': 1,
    };
    expect(await added(serve)).toEqual({ 'nemo.gym.failures': once });
    expect(await added(serve)).toEqual({ 'nemo.gym.failures': once });
  });

  it('are counted once with two instances', async () => {
    const second = new NgFailureInstrumentation();
    const counted = await added(() => RequestFailureLog.capture(() => observeFailure(failure('both'))));
    second.disable();
    expect(counted).toEqual({ 'nemo.gym.failures': { 'model/transport_timeout/-/attempt': 1 } });
  });

  it('of a reply are counted once, whoever observes it', async () => {
    const upstream: Listener = (_, res) => {
      res.writeHead(503, FailureHeader.encode(reportOf('theirs'))).end();
    };
    telemetry.http.setConfig({ ignoreIncomingRequestHook: () => true });
    const counted = await added(() =>
      withServer(http.createServer(upstream), async (port) => {
        const response = await fetch(`http://127.0.0.1:${port}/`);
        await raiseForStatus(response).catch(() => undefined);
      }),
    );
    telemetry.http.setConfig({});
    expect(counted).toEqual({ 'nemo.gym.failures': { 'model/transport_timeout/-/forwarded': 1 } });
  });

  it('are not counted when that is turned off', async () => {
    telemetry.instrumentation.setConfig({ mirror: { metrics: false } });
    const act = (): void =>
      RequestFailureLog.capture((log) => {
        log.add(reportOf('silent'));
        observeModelOperation({ operationId: 'silent', outcome: 'completed', httpAttempts: 1 });
      });
    expect(await added(act)).toEqual({});
    telemetry.instrumentation.setConfig({});
  });
});

describe('reports that lost evidence', () => {
  const omitting: Listener = (_, res) => res.writeHead(200, { 'x-ng-failure-report': '{"omitted":true}' }).end();
  const call = async (port: number): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    await raiseForStatus(response);
  };

  it('are counted once a request, whatever was lost in it', async () => {
    const counted = await added(() =>
      replyTo((_, res) => {
        for (let index = 0; index < 70; index += 1) observeFailure(failure(`e${index}`));
        RequestFailureLog.current()?.add(FailureHeader.decode({ 'x-ng-failure-report': '?' }) ?? reportOf());
        res.end();
      }),
    );
    expect(counted).toEqual({
      'nemo.gym.failures': { 'model/transport_timeout/-/attempt': 70 },
      'nemo.gym.failure.omitted_reports': { '': 1 },
      'nemo.gym.failure.dropped_events': { '': 6 },
    });
  });

  it('too long for the header are counted', async () => {
    const counted = await added(() =>
      replyTo((_, res) => {
        failRequest(failure('long', { details: { text: 'x'.repeat(5000) } }));
        res.end();
      }),
    );
    expect(counted['nemo.gym.failure.omitted_reports']).toEqual({ '': 1 });
  });

  it('that came with replies to calls outside of a request are counted once a reply', async () => {
    telemetry.http.setConfig({ ignoreIncomingRequestHook: () => true });
    const counted = await added(() =>
      withServer(http.createServer(omitting), async (port) => {
        await call(port);
        await call(port);
      }),
    );
    telemetry.http.setConfig({});
    expect(counted).toEqual({ 'nemo.gym.failure.omitted_reports': { '': 2 } });
  });

  it('dropped events are counted also as they come after the headers', async () => {
    const counted = await added(() =>
      replyTo((_, res) => {
        for (let index = 0; index < 66; index += 1) observeFailure(failure(`e${index}`));
        res.write('a part');
        observeFailure(failure('late'));
        res.end();
      }),
    );
    expect(counted['nemo.gym.failure.dropped_events']).toEqual({ '': 3 });
  });
});

describe('model operations', () => {
  it('are counted by outcome, with attempts, waiting and time, each once', async () => {
    const observe = (): void => {
      observeModelOperation({
        operationId: 'op-metrics',
        outcome: 'failed',
        httpAttempts: 3,
        retryWaitS: 1.5,
        requestElapsedMs: 2500,
      });
      observeModelOperation({ operationId: 'op-bare', outcome: 'completed' });
    };
    const counted = {
      'nemo.gym.model.operations': { failed: 1, completed: 1 },
      'nemo.gym.model.attempts': { failed: 3 },
      'nemo.gym.model.retry_wait': { failed: 1.5 },
      'nemo.gym.model.duration': { failed: 2.5 },
    };
    const twice = (): void =>
      RequestFailureLog.capture(() => {
        observe();
        observe();
      });
    expect(await added(twice)).toEqual(counted);
    expect(await added(twice)).toEqual(counted);
  });
});

it('each metric has a unit', async () => {
  const units = [...(await telemetry.measured())].map(([name, { unit }]) => [name, unit]);
  expect(Object.fromEntries(units)).toEqual({
    'nemo.gym.failures': '{failure}',
    'nemo.gym.failure.omitted_reports': '{report}',
    'nemo.gym.failure.dropped_events': '{failure}',
    'nemo.gym.model.operations': '{operation}',
    'nemo.gym.model.attempts': '{attempt}',
    'nemo.gym.model.retry_wait': 's',
    'nemo.gym.model.duration': 's',
  });
});

it('no label holds an id or a reason, and kinds from elsewhere are bounded', async () => {
  RequestFailureLog.capture(() => {
    for (let index = 0; index < 500; index += 1) {
      observeFailure(failure(`k${index}`, { failure_kind: `unregistered:kind_${index}`, failure_reason: 'secret' }));
    }
    observeFailure(failure('long-kind', { failure_kind: `theirs:${'k'.repeat(3000)}` }));
    observeFailure(failure('known', { failure_kind: 'shutdown' }));
  });
  const points = (await telemetry.measured()).get('nemo.gym.failures')?.points ?? [];
  const kinds = points.map(({ labels }) => String(labels['nemo.gym.failure.kind']));
  expect(new Set(kinds.filter((kind) => kind.includes(':'))).size).toBe(200);
  expect(kinds).toContain('_OTHER');
  expect(kinds).toContain('shutdown');
  for (const { labels } of points) {
    expect(LABELS).toEqual(expect.arrayContaining(Object.keys(labels)));
    expect(JSON.stringify(labels)).not.toMatch(/secret|"k\d/);
  }
});
