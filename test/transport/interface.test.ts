import { describe, expect, it } from 'vitest';
import { failureReportFor } from '../../src/failures/cause-chain.ts';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import { FailureReport } from '../../src/records/failure-report.ts';
import { STREAM_MAX_DATA_BYTES, STREAM_TERMINAL_TYPES, UNREGISTERED_KIND_PREFIX } from '../../src/records/wire.ts';
import { FailureHeader } from '../../src/transport/header.ts';
import {
  observeFailure,
  observeModelOperation,
  observeReply,
  replyFailureReport,
  reportForCurrentRequest,
} from '../../src/transport/observe.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { FailureReportRow } from '../../src/transport/row.ts';
import { StreamFailureReportReader } from '../../src/transport/stream/stream-reader.ts';
import { failure, recordOf, reportOf } from '../support/http-failures.ts';

const OMITTED = { omitted: true };
const idsOf = (report: FailureReport | undefined) => [...(report?.events.keys() ?? [])];

describe('the names and numbers of the header, the stream field and the row', () => {
  it('are the ones that Gym publishes', () => {
    expect([FailureHeader.NAME, FailureHeader.STREAM_FIELD, FailureHeader.MAX_BYTES]).toEqual([
      'X-NG-Failure-Report',
      'nemo_gym_failure_report',
      4096,
    ]);
    expect([FailureReportRow.EVENTS, FailureReportRow.FAILURE_ID, FailureReportRow.OMITTED]).toEqual([
      '_ng_failure_events',
      '_ng_failure_id',
      '_ng_failure_events_omitted',
    ]);
    expect(FailureReportRow.KEYS).toEqual(['_ng_failure_events', '_ng_failure_id', '_ng_failure_events_omitted']);
    expect([RequestFailureLog.MAX_EVENTS, UNREGISTERED_KIND_PREFIX]).toEqual([64, 'unregistered:']);
    expect(STREAM_MAX_DATA_BYTES).toBe(2 ** 20);
    expect([...STREAM_TERMINAL_TYPES].sort()).toEqual(
      ['error', 'message_stop', 'response.completed', 'response.failed', 'response.incomplete'].sort(),
    );
  });
});

describe('FailureHeader', () => {
  it('encodes a report into one header, an empty one into none, one over the limit as omitted', () => {
    const report = failureReportFor(failure('a'));
    const value = FailureHeader.encode(report)['X-NG-Failure-Report'] ?? '';
    expect(JSON.parse(value)).toEqual(report.toJSON());
    expect(FailureHeader.encode(FailureReport.EMPTY)).toEqual({});
    const large = failureReportFor(failure('a', { details: { observed: 'x'.repeat(4096) } }));
    expect(FailureHeader.encode(large)).toEqual({ 'X-NG-Failure-Report': '{"omitted":true}' });
  });

  it('decodes the report of any headers: none gives nothing, an invalid value gives omitted', () => {
    const report = failureReportFor(failure('a'));
    expect(FailureHeader.decode(new Headers(FailureHeader.encode(report)))?.toJSON()).toEqual(report.toJSON());
    expect([FailureHeader.decode({}), FailureHeader.decode(undefined)]).toEqual([undefined, undefined]);
    expect(FailureHeader.decode({ 'x-ng-failure-report': '{"events":' })?.toJSON()).toEqual(OMITTED);
  });

  it('names what is no report', () => {
    for (const given of [{}, undefined]) {
      // @ts-expect-error a caller without types
      expect(() => FailureHeader.encode(given)).toThrow(
        /^FailureHeader.encode: the report is (an object|undefined): give/,
      );
      // @ts-expect-error a caller without types
      expect(() => FailureHeader.streamValue(given)).toThrow(/^FailureHeader.streamValue: the report is /);
    }
  });

  it('gives the stream field’s value without a limit, and none for an empty report', () => {
    const large = failureReportFor(failure('a', { details: { observed: 'x'.repeat(9999) } }));
    expect(FailureHeader.streamValue(large)).toEqual(large.toJSON());
    expect(FailureHeader.streamValue(FailureReport.EMPTY)).toBeUndefined();
  });

  it('decodes the stream field of a terminal event: none gives nothing, an invalid one gives omitted', () => {
    const report = reportOf('a').toJSON();
    const decoded = (payload: unknown) => FailureHeader.decodeStreamEvent(payload)?.toJSON();
    expect(decoded({ nemo_gym_failure_report: report })).toEqual(report);
    expect(decoded({ response: { nemo_gym_failure_report: report } })).toEqual(report);
    expect([decoded({}), decoded(null), decoded(undefined)]).toEqual([undefined, undefined, undefined]);
    expect(decoded({ nemo_gym_failure_report: { failure_id: 'gone' } })).toEqual(OMITTED);
  });
});

describe('a report that is read', () => {
  it('keeps an event whose kind is not registered here, under unregistered:', () => {
    const read = FailureReport.parse({ events: { a: recordOf('a', { failure_kind: 'gpu_on_fire' }) } });
    expect(read.events.get('a')?.failure_kind).toBe('unregistered:gpu_on_fire');
    expect(read.omitted).toBe(false);
  });

  it('is refused as a whole for any other invalid value', () => {
    for (const change of [{ failure_kind: 'Gpu On Fire' }, { boundary: 'moon' }, { http_status: 99 }]) {
      expect(() => FailureReport.parse({ events: { a: { ...recordOf('a'), ...change } } })).toThrow(TypeError);
    }
  });
});

describe('FailureReportRow', () => {
  it('writes a report as row fields, only those that are set', () => {
    const report = failureReportFor(failure('a'));
    expect(FailureReportRow.fields(report)).toEqual({ _ng_failure_events: { a: recordOf('a') }, _ng_failure_id: 'a' });
    expect(FailureReportRow.fields(FailureReport.EMPTY)).toEqual({});
  });

  it('merges reports into the saved one, whose own failure_id wins', () => {
    const row = { reward: 1, ...FailureReportRow.fields(failureReportFor(failure('a'))) };
    const merged = FailureReportRow.mergedInto(row, failureReportFor(failure('b')), reportOf('c'));
    expect([merged.reward, merged._ng_failure_id]).toEqual([1, 'a']);
    expect(idsOf(FailureReportRow.report(merged))).toEqual(['a', 'b', 'c']);
  });

  it('reads an invalid saved report as omitted, and an old row as it always was', () => {
    expect(FailureReportRow.report({ _ng_failure_id: 'gone' }).toJSON()).toEqual(OMITTED);
    const old = { reward: 0.5, response: { output: [] } };
    expect(FailureReportRow.report(old).isEmpty).toBe(true);
    expect(FailureReportRow.mergedInto(old)).toEqual(old);
  });
});

describe('RequestFailureLog', () => {
  it('is new for each request and reached from any depth of its work, and nowhere else', async () => {
    const deep = async () => {
      await new Promise((later) => setTimeout(later, 1));
      return RequestFailureLog.current();
    };
    const found = await Promise.all([1, 2].map(() => RequestFailureLog.capture(async (log) => [log, await deep()])));
    const logs = found.map(([log, reached]) => {
      expect(reached).toBe(log);
      return log;
    });
    expect(logs[0]).not.toBe(logs[1]);
    expect(RequestFailureLog.current()).toBeUndefined();
    expect(RequestFailureLog.capture(() => 42)).toBe(42);
  });

  it('starts with an empty report, no model operation and nothing dropped', () => {
    const log = RequestFailureLog.capture((made) => made);
    expect([log.report.isEmpty, log.modelOperations.size, log.droppedEvents]).toEqual([true, 0, 0]);
  });

  it('adds a report’s events as observations, never a failure_id', () => {
    RequestFailureLog.capture((log) => {
      log.add(failureReportFor(failure('b', {}, failure('a'))));
      expect([log.report.failureId, idsOf(log.report)]).toEqual([undefined, ['b', 'a']]);
    });
  });

  it('keeps 64 events, drops later reports whole, counts theirs and is omitted then', () => {
    RequestFailureLog.capture((log) => {
      for (let index = 0; index < 63; index += 1) log.add(reportOf(`e${index}`));
      log.add(reportOf('x', 'y'));
      expect([log.report.events.size, log.droppedEvents, log.report.omitted]).toEqual([63, 2, true]);
      log.add(reportOf('z'));
      expect([log.report.events.size, log.droppedEvents]).toEqual([63, 3]);
    });
  });

  it('merges the request’s own failure, when it has one, with what was observed', () => {
    RequestFailureLog.capture((log) => {
      log.add(reportOf('seen'));
      const own = log.replyReport(failure('own'));
      expect([own.failureId, idsOf(own)]).toEqual(['own', ['own', 'seen']]);
      expect(log.replyReport().toJSON()).toEqual(log.report.toJSON());
    });
  });
});

describe('observing', () => {
  it('observeFailure records a failure that a retry may replace', () => {
    RequestFailureLog.capture((log) => {
      observeFailure(new Error('gave up', { cause: failure('a') }));
      observeFailure(new Error('no event'));
      expect([log.report.failureId, idsOf(log.report)]).toEqual([undefined, ['a']]);
    });
  });

  it('observeReply records what a reply forwarded, of a success and of a failure', () => {
    RequestFailureLog.capture((log) => {
      observeReply(FailureHeader.encode(failureReportFor(failure('of-a-failure'))));
      observeReply(new Headers(FailureHeader.encode(reportOf('of-a-success'))));
      observeReply({});
      observeReply(null);
      expect([log.report.failureId, idsOf(log.report)]).toEqual([undefined, ['of-a-failure', 'of-a-success']]);
    });
  });

  it('observeModelOperation records how a retry loop ended, each member under its wire name', () => {
    RequestFailureLog.capture((log) => {
      observeModelOperation({
        operationId: 'op',
        outcome: 'failed',
        finalAttemptId: 'attempt-3',
        failureId: 'f',
        httpAttempts: 3,
        transportFailures: 1,
        retryWaitS: 0.5,
        requestElapsedMs: 1200.5,
      });
      observeModelOperation({ operationId: 'bare', outcome: 'completed', finalAttemptId: null });
      expect(Object.fromEntries(log.modelOperations)).toEqual({
        op: {
          operation_id: 'op',
          outcome: 'failed',
          final_attempt_id: 'attempt-3',
          failure_id: 'f',
          http_attempts: 3,
          transport_failures: 1,
          retry_wait_s: 0.5,
          request_elapsed_ms: 1200.5,
        },
        bare: { operation_id: 'bare', outcome: 'completed' },
      });
      expect(log.report.isEmpty).toBe(true);
    });
  });

  it.each([
    { operationId: '', outcome: 'failed' },
    { operationId: 'op', outcome: 'aborted' },
    { operationId: 'op', outcome: 'failed', transportFailures: -1 },
    { operationId: 'op', outcome: 'failed', transportFailures: 1.5 },
    { operationId: 'op', outcome: 'failed', transportFailures: '1' },
    { operationId: 'op', outcome: 'failed', httpAttempts: true },
  ])('a model operation of %j is refused, also outside of a request', (options) => {
    expect(() => Reflect.apply(observeModelOperation, undefined, [options])).toThrow(TypeError);
  });

  it('replyFailureReport gives the error’s chain alone, and nothing without an event', () => {
    RequestFailureLog.capture((log) => {
      log.add(reportOf('seen'));
      expect(idsOf(replyFailureReport(failure('b', { failure_kind: 'shutdown' }, failure('a'))))).toEqual(['b', 'a']);
      expect(replyFailureReport(new Error('no event'))).toBeUndefined();
    });
  });

  it('reportForCurrentRequest adds what the request observed, and keeps the ids of the chain', () => {
    const error = failure('b', {}, failure('a'));
    expect(idsOf(reportForCurrentRequest(error))).toEqual(['b', 'a']);
    RequestFailureLog.capture((log) => {
      log.add(reportOf('seen'));
      expect(idsOf(reportForCurrentRequest(error))).toEqual(['b', 'a', 'seen']);
      expect(idsOf(reportForCurrentRequest())).toEqual(['seen']);
    });
    expect(reportForCurrentRequest().isEmpty).toBe(true);
  });

  it('nothing that is observed outside of a request throws', () => {
    expect(() => {
      observeFailure(new NgFailureEvent({ boundary: 'agent', failureKind: 'cancelled', failureReason: 'x' }));
      observeReply(FailureHeader.encode(reportOf('a')));
      observeModelOperation({ operationId: 'op', outcome: 'completed' });
    }).not.toThrow();
  });
});

describe('StreamFailureReportReader', () => {
  const line = (...ids: string[]) =>
    `data: ${JSON.stringify({ type: 'response.completed', nemo_gym_failure_report: reportOf(...ids).toJSON() })}\n\n`;

  it('gathers the reports of bytes and of text, and gives them at the end', () => {
    const reader = new StreamFailureReportReader();
    expect(reader.report).toBeUndefined();
    reader.feed(Buffer.from(line('a')));
    reader.feedText(line('b'));
    expect(idsOf(reader.finish())).toEqual(['a', 'b']);
    expect(idsOf(reader.report)).toEqual(['a', 'b']);
  });

  it('takes a line that the body’s end cut off for no evidence', () => {
    const reader = new StreamFailureReportReader();
    reader.feedText(line('a').trimEnd());
    expect(reader.finish()).toBeUndefined();
  });

  it('observes what it read for the request, without a failure of its own', () => {
    RequestFailureLog.capture((log) => {
      const reader = new StreamFailureReportReader();
      const report = failureReportFor(failure('a')).toJSON();
      reader.feedText(`data: ${JSON.stringify({ type: 'error', nemo_gym_failure_report: report })}\n\n`);
      reader.finish();
      reader.observe();
      expect([log.report.failureId, idsOf(log.report)]).toEqual([undefined, ['a']]);
    });
  });

  it('keeps no more than a mebibyte of a line, and reads a longer one with the field as omitted', () => {
    const reader = new StreamFailureReportReader();
    reader.feedText(`data: {"nemo_gym_failure_report": {}, "x": "${'x'.repeat(2 ** 20)}"}\n\n`);
    expect(reader.finish()?.toJSON()).toEqual(OMITTED);
  });
});
