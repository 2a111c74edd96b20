import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { context, createContextKey, DiagLogLevel, diag, ROOT_CONTEXT } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FailureHeader,
  FailureReport,
  failRequest,
  failureReportFor,
  NgFailureEvent,
  observeFailure,
  observeModelOperation,
  observeReply,
  RequestFailureLog,
  replyFailureReport,
} from '../../src/index.ts';
import { FAILURES_CHANNEL, MODEL_OPERATION_CHANNEL } from '../../src/transport/announce.ts';
import { HOSTILE } from '../support/hostile-values.ts';

function event(reason: string, cause?: unknown): NgFailureEvent {
  return new NgFailureEvent({ boundary: 'model', failureKind: 'cancelled', failureReason: reason, cause });
}

const told: unknown[] = [];
const listen = (message: unknown): void => void told.push(message);
beforeEach(() => {
  told.length = 0;
  subscribe(FAILURES_CHANNEL.name, listen);
  subscribe(MODEL_OPERATION_CHANNEL.name, listen);
});
afterEach(() => {
  unsubscribe(FAILURES_CHANNEL.name, listen);
  unsubscribe(MODEL_OPERATION_CHANNEL.name, listen);
});

describe('observeFailure', () => {
  it('puts an attempt’s chain into the log, without naming a failure, and tells of it', () => {
    RequestFailureLog.capture((log) => {
      const error = event('outer', event('inner'));
      observeFailure(error);
      expect(log.report.toJSON()).toEqual(failureReportFor(error).asObservations().toJSON());
      expect(told).toMatchObject([{ origin: 'attempt', error, log, report: { failureId: undefined } }]);
    });
  });

  it('tells of it outside a request too', () => {
    observeFailure(event('x'));
    expect(told).toMatchObject([{ origin: 'attempt', log: undefined }]);
  });

  it('does nothing without an event', () => {
    RequestFailureLog.capture((log) => {
      for (const error of [undefined, null, 'x', new Error('x', { cause: new Error('y') })]) observeFailure(error);
      expect(log.isEmpty).toBe(true);
      expect(told).toEqual([]);
    });
  });
});

describe('a call that does nothing says why on the level DEBUG', () => {
  const lines: string[] = [];
  const ignore = (): void => {};
  const logger = { error: ignore, warn: ignore, info: ignore, debug: (line: string) => void lines.push(line) };
  beforeEach(() => {
    lines.length = 0;
    diag.setLogger({ ...logger, verbose: ignore }, { logLevel: DiagLogLevel.ALL, suppressOverrideMessage: true });
    lines.length = 0;
  });
  afterEach(() => diag.disable());

  it('failRequest outside a request', () => {
    failRequest(event('x'));
    expect(lines).toEqual([
      expect.stringMatching(/failRequest did nothing: no request is being served here; call it in/),
    ]);
  });

  it('failRequest and observeFailure without an event', () => {
    RequestFailureLog.capture(() => {
      failRequest(new Error('x'));
      observeFailure(new Error('x'));
    });
    expect(lines).toEqual([
      expect.stringMatching(/failRequest did nothing: there is no NgFailureEvent in .*; throw one with the error as/),
      expect.stringMatching(/observeFailure did nothing: there is no NgFailureEvent in /),
    ]);
  });

  it('and one that does something says nothing', () => {
    RequestFailureLog.capture(() => {
      failRequest(event('x'));
      observeFailure(event('y'));
    });
    expect(lines).toEqual([]);
  });
});

describe('observeReply', () => {
  const report = failureReportFor(event('remote'));
  const headers = FailureHeader.encode(report);

  it('keeps what another server forwarded, whoever’s failure it was there', () => {
    RequestFailureLog.capture((log) => {
      observeReply(headers);
      observeReply(new Headers(headers));
      expect(log.report.toJSON()).toEqual(report.asObservations().toJSON());
      expect(told[0]).toMatchObject({ origin: 'forwarded', log });
    });
  });

  it('puts it where it is told to', () => {
    const log = new RequestFailureLog();
    const where = ROOT_CONTEXT.setValue(createContextKey('test'), 1);
    observeReply(headers, { log, context: where });
    expect(log.report.events.size).toBe(1);
    expect(told).toMatchObject([{ log, context: where }]);
  });

  it('keeps that a report was lost, and nothing of a reply without one', () => {
    RequestFailureLog.capture((log) => {
      for (const none of [undefined, null, {}, { [FailureHeader.NAME]: '{}' }]) observeReply(none);
      expect(log.isEmpty).toBe(true);
      observeReply({ [FailureHeader.NAME]: 'not a report' });
      expect(log.report.toJSON()).toEqual({ omitted: true });
    });
  });
});

describe('observeModelOperation', () => {
  it('keeps one for each operation, the last one, and nothing of it in the report', () => {
    RequestFailureLog.capture((log) => {
      observeModelOperation({ operationId: 'a', outcome: 'failed', failureId: 'f', httpAttempts: 1 });
      observeModelOperation({ operationId: 'b', outcome: 'completed', finalAttemptId: null });
      observeModelOperation({
        operationId: 'a',
        outcome: 'completed',
        httpAttempts: 2,
        transportFailures: 1,
        retryWaitS: 0.5,
        requestElapsedMs: 9,
      });
      expect([...log.modelOperations.values()]).toEqual([
        {
          operation_id: 'a',
          outcome: 'completed',
          http_attempts: 2,
          transport_failures: 1,
          retry_wait_s: 0.5,
          request_elapsed_ms: 9,
        },
        { operation_id: 'b', outcome: 'completed' },
      ]);
      expect(log.replyReport().isEmpty).toBe(true);
      expect(told).toHaveLength(3);
    });
  });

  it('throws a TypeError for invalid values, in a request and outside', () => {
    const invalid = (): void => observeModelOperation({ operationId: '', outcome: 'completed' });
    expect(invalid).toThrow(TypeError);
    expect(invalid).toThrow(/operation_id/);
    RequestFailureLog.capture(() => void expect(invalid).toThrow(TypeError));
    expect(() => Reflect.apply(observeModelOperation, undefined, [])).toThrow(
      /^observeModelOperation: its argument is undefined: give \{ operationId, outcome, … \}$/,
    );
    expect(told).toEqual([]);
  });
});

describe('replyFailureReport', () => {
  it('is the chain alone, or nothing', () => {
    RequestFailureLog.capture((log) => {
      log.add(failureReportFor(event('observed')));
      const error = event('x');
      expect(replyFailureReport(error)?.toJSON()).toEqual(failureReportFor(error).toJSON());
      expect(replyFailureReport(new Error('x'))).toBeUndefined();
      expect(replyFailureReport(undefined)).toBeUndefined();
    });
  });
});

describe('what was observed never throws', () => {
  it.each(HOSTILE)('for %s', (_what, make) => {
    RequestFailureLog.capture((log) => {
      for (const fn of [observeFailure, failRequest, observeReply, replyFailureReport]) {
        expect(() => Reflect.apply(fn, undefined, [make()])).not.toThrow();
      }
      expect(FailureReport.is(log.replyReport(make()))).toBe(true);
    });
  });

  it('without a listener nothing is published', () => {
    unsubscribe(FAILURES_CHANNEL.name, listen);
    observeFailure(event('x'));
    expect(told).toEqual([]);
    expect(context.active()).toBe(ROOT_CONTEXT);
  });
});
