import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FailureReport,
  failRequest,
  failureReportFor,
  NgFailureEvent,
  RequestFailureLog,
  reportForCurrentRequest,
} from '../../src/index.ts';
import { LOG_CONTEXT_KEY } from '../../src/transport/request-scope.ts';

function event(reason: string, cause?: unknown): NgFailureEvent {
  return new NgFailureEvent({ boundary: 'model', failureKind: 'cancelled', failureReason: reason, cause });
}

function reportOf(events: number): FailureReport {
  return FailureReport.EMPTY.merge(
    ...Array.from({ length: events }, () => failureReportFor(event('x'))),
  ).asObservations();
}

const managers: [name: string, start: () => void][] = [
  ['without a context manager', () => {}],
  ['with one', () => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())],
];

describe.each(managers)('RequestFailureLog.capture %s', (_name, start) => {
  beforeEach(start);
  afterEach(() => context.disable());

  it('makes its log current for the function and all it starts, and no longer', async () => {
    expect(RequestFailureLog.current()).toBeUndefined();
    const result = RequestFailureLog.capture(async (log) => {
      expect(RequestFailureLog.current()).toBe(log);
      await sleep(2);
      expect(RequestFailureLog.current()).toBe(log);
      const emitter = new AbortController();
      setImmediate(() => emitter.abort());
      await once(emitter.signal, 'abort');
      expect(await Promise.all([1, 2].map(async () => RequestFailureLog.current()))).toEqual([log, log]);
      return 'result';
    });
    expect(RequestFailureLog.current()).toBeUndefined();
    await expect(result).resolves.toBe('result');
    expect(RequestFailureLog.current()).toBeUndefined();
  });

  it('keeps requests apart that run at the same time', async () => {
    const logs = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        RequestFailureLog.capture(async (log) => {
          for (let turn = 0; turn < index % 3; turn += 1) await sleep(1);
          RequestFailureLog.current()?.add(reportOf(index % 4));
          await sleep(1);
          return log;
        }),
      ),
    );
    logs.forEach((log, index) => void expect(log.report.events.size).toBe(index % 4));
    expect(new Set(logs).size).toBe(20);
  });

  it('nests, and survives a change of context inside', () => {
    RequestFailureLog.capture((outer) => {
      RequestFailureLog.capture((inner) => {
        expect(inner).not.toBe(outer);
        expect(RequestFailureLog.current()).toBe(inner);
      });
      expect(RequestFailureLog.current()).toBe(outer);
      context.with(ROOT_CONTEXT, () => void expect(RequestFailureLog.current()).toBe(outer));
    });
  });

  it('throws what the function throws, and ends all the same', async () => {
    const error = new Error('x');
    expect(() =>
      RequestFailureLog.capture(() => {
        throw error;
      }),
    ).toThrow(error);
    await expect(
      RequestFailureLog.capture(async () => {
        await sleep(1);
        throw error;
      }),
    ).rejects.toBe(error);
    expect(RequestFailureLog.current()).toBeUndefined();
  });
});

it('the log in the OpenTelemetry context comes before the one that follows the request itself', () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const inContext = new RequestFailureLog();
  const carried = context.active().setValue(LOG_CONTEXT_KEY, inContext);
  context.with(carried, () => void expect(RequestFailureLog.current()).toBe(inContext));
  RequestFailureLog.capture(() => {
    context.with(carried, () => void expect(RequestFailureLog.current()).toBe(inContext));
  });
  context.disable();
});

describe('a log', () => {
  it('keeps the first 64 events, a report whole or not at all', () => {
    const log = new RequestFailureLog();
    expect(RequestFailureLog.MAX_EVENTS).toBe(64);
    log.add(reportOf(60));
    const five = reportOf(5);
    log.add(five);
    expect([log.report.events.size, log.droppedEvents, log.report.omitted]).toEqual([60, 5, true]);
    // There would be room, but what came later is not kept any more, so that the first 64 are the first.
    log.add(reportOf(1));
    expect([log.report.events.size, log.droppedEvents]).toEqual([60, 6]);
    log.add(log.report);
    expect([log.report.events.size, log.droppedEvents]).toEqual([60, 6]);
  });

  it('counts only the new events of a report, and keeps one that fits with what it has', () => {
    const log = new RequestFailureLog();
    const kept = reportOf(64);
    log.add(kept);
    log.add(kept);
    expect([log.report.omitted, log.droppedEvents]).toEqual([false, 0]);
    log.add(kept.merge(reportOf(2)));
    expect([log.report.events.size, log.report.omitted, log.droppedEvents]).toEqual([64, true, 2]);
  });

  it('replies with the request’s own failure first, its chain always whole', () => {
    const log = new RequestFailureLog();
    log.add(reportOf(64));
    const own = event('outer', event('inner'));
    const reply = log.replyReport(own);
    expect([reply.failureId, reply.events.size, reply.omitted]).toEqual([own.eventId, 66, false]);
    expect(log.replyReport().failureId).toBeUndefined();
    expect(log.replyReport(new Error('no event')).toJSON()).toEqual(log.report.toJSON());
  });

  it('refuses what is no report', () => {
    expect(() => Reflect.apply(RequestFailureLog.prototype.add, new RequestFailureLog(), [{ events: 3 }])).toThrow(
      TypeError,
    );
  });
});

describe('failRequest', () => {
  it('names the request’s own failure, the last call counting', () => {
    RequestFailureLog.capture((log) => {
      const [first, last] = [event('first'), event('last')];
      failRequest(first);
      failRequest(new Error('wrapped', { cause: last }));
      failRequest(new Error('without an event'));
      failRequest(undefined);
      expect(log.replyReport().failureId).toBe(last.eventId);
      expect(log.replyReport().events.size).toBe(1);
      expect(reportForCurrentRequest().failureId).toBe(last.eventId);
      expect(reportForCurrentRequest(first).failureId).toBe(first.eventId);
      expect(log.replyReport(null).isEmpty).toBe(true);
    });
  });

  it('does nothing outside a request', () => {
    failRequest(event('x'));
    expect(reportForCurrentRequest()).toBe(FailureReport.EMPTY);
    expect(reportForCurrentRequest(event('x')).events.size).toBe(1);
  });
});
