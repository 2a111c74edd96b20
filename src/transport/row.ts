import { FailureReport } from '../records/failure-report.ts';
import { shown } from '../records/text.ts';
import { ROW_EVENTS, ROW_FAILURE_ID, ROW_OMITTED } from '../records/wire.ts';
import { OMITTED } from './header.ts';

/** A saved rollout: its own fields, and the report's beside them. */
export type Row = Readonly<Record<string, unknown>>;

/** What is looked at in a row, whatever its own type names. */
interface SavedFields {
  readonly [ROW_EVENTS]?: unknown;
  readonly [ROW_FAILURE_ID]?: unknown;
  readonly [ROW_OMITTED]?: unknown;
}

/** How a report is saved in a rollout's row. */
export const FailureReportRow = Object.freeze({
  /** Row key of the events. */
  EVENTS: ROW_EVENTS,
  /** Row key of the reply's own failure. */
  FAILURE_ID: ROW_FAILURE_ID,
  /** Row key that says that evidence was lost. */
  OMITTED: ROW_OMITTED,
  /** The three keys. */
  KEYS: Object.freeze([ROW_EVENTS, ROW_FAILURE_ID, ROW_OMITTED] as const),

  /** `report` as row fields, only those that are set; none for an empty report. */
  fields(report: FailureReport): Record<string, unknown> {
    const { events, failure_id: failureId, omitted } = report.toJSON();
    return {
      ...(events === undefined ? undefined : { [ROW_EVENTS]: events }),
      ...(failureId === undefined ? undefined : { [ROW_FAILURE_ID]: failureId }),
      ...(omitted === undefined ? undefined : { [ROW_OMITTED]: omitted }),
    };
  },

  /**
   * A copy of `row` with `reports` merged into its saved report; the row's own events and id win. A report that is
   * `undefined`, such as that of a reply without one, adds nothing.
   *
   * @throws TypeError that names the value, when `row` is no object or one of `reports` is no report
   */
  mergedInto<R extends object>(
    row: R,
    ...reports: readonly (FailureReport | undefined)[]
  ): R & Record<string, unknown> {
    if (typeof row !== 'object' || row === null || Array.isArray(row)) {
      throw new TypeError(`FailureReportRow: the row is ${shown(row)}: give the rollout's own fields as an object`);
    }
    const merged = FailureReportRow.report(row).merge(...reports);
    const copy = { ...row };
    for (const key of FailureReportRow.KEYS) Reflect.deleteProperty(copy, key);
    return Object.assign(copy, FailureReportRow.fields(merged));
  },

  /** The report saved in `row`; an invalid one reads as omitted. Never throws. */
  report(row: object): FailureReport {
    try {
      const { [ROW_EVENTS]: events, [ROW_FAILURE_ID]: failureId, [ROW_OMITTED]: omitted }: SavedFields = row;
      if (events == null && failureId == null && omitted == null) return FailureReport.EMPTY;
      return FailureReport.parse({ events, failure_id: failureId, omitted });
    } catch {
      return OMITTED;
    }
  },
});
