import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NgFailureEvent } from '../../../src/failures/ng-failure-event.ts';
import type { FailureEvent } from '../../../src/records/failure-event.ts';
import type { ModelOperationObservation } from '../../../src/records/model-operation.ts';
import { MODEL_OPERATION_CHANNEL } from '../../../src/transport/announce.ts';
import { modelOperation } from '../../../src/transport/model/model-operation.ts';
import { observedFetch } from '../../../src/transport/model/observed-fetch.ts';
import { RequestFailureLog } from '../../../src/transport/request-log.ts';
import { type FailingServer, failingServer, refusingOrigin, type Way } from '../../support/failing-server.ts';

let server: FailingServer;
let key = 0;
beforeAll(async () => {
  server = await failingServer();
});
afterAll(() => server[Symbol.asyncDispose]());

function base(way: Way): string {
  key += 1;
  return server.address(way, `k${key}`);
}

function client(baseURL: string, options: { maxRetries?: number; timeout?: number } = {}): OpenAI {
  return new OpenAI({ apiKey: 'none', baseURL, fetch: observedFetch, maxRetries: 1, ...options });
}

const PARAMS = { model: 'gpt-x', input: 'hi' };

interface Observed {
  readonly operations: ModelOperationObservation[];
  readonly events: FailureEvent[];
}

async function observed(fn: () => Promise<unknown>): Promise<Observed> {
  return RequestFailureLog.capture(async (log) => {
    await fn();
    return { operations: [...log.modelOperations.values()], events: [...log.report.events.values()] };
  });
}

describe('modelOperation', () => {
  it('counts the attempts of a call that a retry saved', async () => {
    const { operations, events } = await observed(async () => {
      const response = await modelOperation(() => client(base('flaky')).responses.create(PARAMS));
      expect(response.output_text).toBe('Hi');
    });
    expect(events).toMatchObject([{ http_status: 503, details: { attempt: 1, model: 'gpt-x' } }]);
    const [operation] = operations;
    expect(operation).toMatchObject({ outcome: 'completed', http_attempts: 2, transport_failures: 0 });
    expect(operation?.operation_id).toMatch(/^[0-9a-f]{32}$/);
    expect(operation?.final_attempt_id).toMatch(/^[0-9a-f]{32}$/);
    expect(operation?.final_attempt_id).not.toBe(events[0]?.details?.attempt_id);
    expect(operation?.failure_id).toBeUndefined();
    expect(operation?.retry_wait_s).toBeLessThan(1);
    expect(operation?.request_elapsed_ms).toBeGreaterThanOrEqual(1000 * (operation?.retry_wait_s ?? 0));
  });

  it('names the attempt and the event that ended a failed call, and throws the client’s own error', async () => {
    const { operations, events } = await observed(async () => {
      const error = await modelOperation(() => client(base('quota')).responses.create(PARAMS)).catch((e) => e);
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    });
    expect(events.map((event) => event.details?.attempt)).toEqual([1, 2]);
    expect(operations).toMatchObject([
      {
        outcome: 'failed',
        http_attempts: 2,
        failure_id: events[1]?.event_id,
        final_attempt_id: events[1]?.details?.attempt_id,
      },
    ]);
  });

  it('counts failures of transport and the wait between attempts', async () => {
    const origin = await refusingOrigin();
    const { operations } = await observed(() =>
      modelOperation(() => client(origin).responses.create(PARAMS)).catch(() => undefined),
    );
    expect(operations).toMatchObject([{ outcome: 'failed', http_attempts: 2, transport_failures: 2 }]);
    // OpenAI's client waits 0.375 to 0.5 s before its first retry.
    expect(operations[0]?.retry_wait_s).toBeGreaterThan(0.3);
    expect(operations[0]?.retry_wait_s).toBeLessThan(1.5);
  });

  it('tells a client’s short time limit from the caller’s wish', async () => {
    const limited = await observed(() =>
      modelOperation(() => client(base('silent'), { timeout: 40 }).responses.create(PARAMS)).catch((error) =>
        expect(error).toBeInstanceOf(OpenAI.APIConnectionTimeoutError),
      ),
    );
    expect(limited.events.map((event) => event.failure_kind)).toEqual(['transport_timeout', 'transport_timeout']);
    expect(limited.operations).toMatchObject([
      { http_attempts: 2, transport_failures: 2, failure_id: limited.events[1]?.event_id },
    ]);
    const elapsed = limited.events.map((event) => Number(event.details?.elapsed_ms));
    expect(Math.max(...elapsed)).toBeLessThan(300);

    const signal = AbortSignal.timeout(40);
    const wished = await observed(() =>
      modelOperation(() => client(base('silent')).responses.create(PARAMS, { signal })).catch((error) =>
        expect(error).toBeInstanceOf(OpenAI.APIUserAbortError),
      ),
    );
    expect(wished.events).toEqual([]);
    expect(wished.operations).toMatchObject([{ outcome: 'failed', http_attempts: 1, transport_failures: 0 }]);
    expect(wished.operations[0]).not.toHaveProperty('failure_id');
  });

  it('takes the loser of a race for no retry', async () => {
    const { operations, events } = await observed(() =>
      modelOperation(async () => {
        const loser = new AbortController();
        const slow = observedFetch(base('silent'), { signal: loser.signal }).catch(() => undefined);
        const other = observedFetch(base('silent'), { signal: AbortSignal.timeout(50) }).catch(() => undefined);
        loser.abort();
        await slow;
        await observedFetch(base('fine'));
        await other;
      }),
    );
    expect(events.map((event) => event.failure_kind)).toEqual(['transport_timeout']);
    expect(operations).toMatchObject([{ http_attempts: 3, transport_failures: 1 }]);
  });

  it('keeps nested and concurrent calls apart', async () => {
    const { operations } = await observed(() =>
      Promise.all([
        modelOperation(
          async () => {
            await observedFetch(base('broken'));
            await modelOperation(() => observedFetch(base('fine')), { operationId: 'inner' });
            await observedFetch(base('fine'));
            await observedFetch(base('fine'));
          },
          { operationId: 'outer' },
        ),
        modelOperation(() => observedFetch(base('fine')), { operationId: 'beside' }),
      ]),
    );
    const attempts = Object.fromEntries(operations.map((each) => [each.operation_id, each.http_attempts]));
    expect(attempts).toEqual({ inner: 1, beside: 1, outer: 3 });
  });

  it('observes a 429 before the call is over, though its body is still to come', async () => {
    const { operations, events } = await observed(() => modelOperation(() => observedFetch(base('late-quota'))));
    expect(events).toMatchObject([{ failure_kind: 'provider_unavailable', http_status: 429 }]);
    expect(operations).toMatchObject([{ outcome: 'completed' }]);
  });

  it('counts a stream as completed once it is there; what breaks later is an event of its own', async () => {
    const { operations, events } = await observed(async () => {
      const stream = await modelOperation(() =>
        client(base('half-stream')).chat.completions.create({ model: 'm', messages: [], stream: true }),
      );
      let failed = false;
      try {
        for await (const _chunk of stream);
      } catch {
        failed = true;
      }
      expect(failed).toBe(true);
    });
    expect(operations).toMatchObject([{ outcome: 'completed', http_attempts: 1, transport_failures: 0 }]);
    expect(events).toMatchObject([{ failure_kind: 'transport_peer_drop', http_status: 200 }]);
  });

  it('leaves counts out that nobody made', async () => {
    const { operations } = await observed(() => modelOperation(async () => 'from a cache', { operationId: 'o' }));
    expect(operations).toEqual([{ operation_id: 'o', outcome: 'completed', request_elapsed_ms: expect.any(Number) }]);
  });

  it('gives back and throws exactly what the call does', async () => {
    const value = {};
    expect(await modelOperation(() => value)).toBe(value);
    expect(await modelOperation(() => Promise.resolve(value))).toBe(value);
    const thrown = { odd: true };
    await expect(modelOperation(() => Promise.reject(thrown)).catch((error) => error)).resolves.toBe(thrown);
    const atOnce = () => {
      throw thrown;
    };
    await expect(modelOperation(atOnce).catch((error) => error)).resolves.toBe(thrown);
  });

  it('names the failure that the call itself raised', async () => {
    const failure = new NgFailureEvent({ boundary: 'model', failureKind: 'session_lost', failureReason: 'gone' });
    const { operations } = await observed(() =>
      modelOperation(() => Promise.reject(new Error('wrapped', { cause: failure }))).catch(() => undefined),
    );
    expect(operations).toMatchObject([{ outcome: 'failed', failure_id: failure.eventId }]);
  });

  it('names no failure where the last attempt was answered and the call failed all the same', async () => {
    const { operations, events } = await observed(() =>
      modelOperation(async () => {
        await observedFetch(base('broken'));
        await (await observedFetch(base('garbage'))).json();
      }).catch((error) => expect(error).toBeInstanceOf(SyntaxError)),
    );
    expect(events).toHaveLength(1);
    expect(operations).toMatchObject([{ outcome: 'failed', http_attempts: 2 }]);
    expect(operations[0]).not.toHaveProperty('failure_id');
  });

  it('counts nothing that goes on after the call', async () => {
    let later: Promise<unknown> | undefined;
    const { operations, events } = await observed(async () => {
      await modelOperation(() => {
        later = new Promise((go) => setTimeout(go, 20)).then(() => observedFetch(base('broken')));
      });
      await later;
    });
    expect(operations[0]).not.toHaveProperty('http_attempts');
    expect(events).toMatchObject([{ http_status: 500 }]);
    expect(events[0]?.details).not.toHaveProperty('attempt_id');
  });

  it('refuses an id that is none before the call is made', async () => {
    let ran = false;
    const call = () => {
      ran = true;
    };
    await expect(modelOperation(call, { operationId: '' })).rejects.toThrow(
      'modelOperation: operationId is "": give a non-empty text, or none',
    );
    expect(ran).toBe(false);
  });

  it('is announced outside of a request too', async () => {
    const told: unknown[] = [];
    const hear = (message: unknown) => told.push(message);
    subscribe(MODEL_OPERATION_CHANNEL.name, hear);
    await modelOperation(() => 1, { operationId: 'alone' });
    unsubscribe(MODEL_OPERATION_CHANNEL.name, hear);
    expect(told).toMatchObject([{ operation: { operation_id: 'alone' }, log: undefined }]);
  });
});
