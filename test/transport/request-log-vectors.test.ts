import { describe, expect, it } from 'vitest';
import { FailureReport } from '../../src/records/failure-report.ts';
import { RequestFailureLog } from '../../src/transport/request-log.ts';
import { canonical } from '../support/canonical.ts';
import { requestLogCases } from '../vectors/load.ts';

describe('request-log.json', () => {
  for (const { name, adds, report, dropped_events: dropped } of requestLogCases) {
    it(name, () => {
      RequestFailureLog.capture((log) => {
        for (const added of adds) log.add(FailureReport.parse(added));
        expect(canonical(log.report)).toBe(canonical(report));
        expect(log.droppedEvents).toBe(dropped);
        expect(log.report.failureId).toBeUndefined();
      });
    });
  }
});
