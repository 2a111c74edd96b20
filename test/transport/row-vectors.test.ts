import { describe, expect, it } from 'vitest';
import { FailureReport } from '../../src/records/failure-report.ts';
import { FailureReportRow } from '../../src/transport/row.ts';
import { canonical } from '../support/canonical.ts';
import { rowCases } from '../vectors/load.ts';

describe('rows.json', () => {
  for (const { name, row, reports, saved, merged } of rowCases) {
    it(name, () => {
      const before = JSON.stringify(row);
      expect(canonical(FailureReportRow.report(row))).toBe(canonical(saved));
      const given = reports.map((report) => FailureReport.parse(report));
      expect(canonical(FailureReportRow.mergedInto(row, ...given))).toBe(canonical(merged));
      expect(JSON.stringify(row)).toBe(before);
    });
  }
});
