import { FailureReport } from '../../records/failure-report.ts';
import {
  JUDGE_FAILURE_CLASS,
  ROW_EVENTS,
  ROW_FAILURE_ID,
  ROW_OMITTED,
  ROW_ROLLOUT_ID,
  ROW_ROLLOUT_INDEX,
  ROW_TASK_INDEX,
} from '../../records/wire.ts';
import { FailureReportRow } from '../../transport/row.ts';
import type { Problems } from '../problems.ts';
import { jsonLines } from './json-lines.ts';

/** Where a row stands, for messages. */
export interface RowPlace {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  /** Wire key: `_ng_rollout_id`; absent in old rows. */
  readonly rolloutId: string | undefined;
}

/** A saved rollout and the report in it. */
export interface SavedRow extends RowPlace {
  readonly report: FailureReport;
  readonly value: Readonly<Record<string, unknown>>;
}

/**
 * The rows of a file, as many at a time as one read gave; what is no row goes to `problems`.
 *
 * @throws UnreadableFileError when the file cannot be opened or a read fails
 */
export async function* savedRows(file: string, problems: Problems): AsyncGenerator<readonly SavedRow[]> {
  for await (const lines of jsonLines(file, problems, rowFault)) {
    yield lines.map(({ number, value }) => savedRow(value, file, number));
  }
}

/** A line of telemetry is no row: taken for one, it would be a rollout without failures. */
function rowFault(value: Readonly<Record<string, unknown>>): string | undefined {
  for (const key of ['resourceSpans', 'resourceLogs', 'resourceMetrics']) {
    if (Array.isArray(value[key])) return `an OTLP line ("${key}"), not a row; name the file with --traces`;
  }
  return undefined;
}

/** The row that `value` is, as if it stood at `file:line`. */
export function savedRow(value: Readonly<Record<string, unknown>>, file: string, line: number): SavedRow {
  return { file, line, rolloutId: rolloutIdOf(value), report: FailureReportRow.report(value), value };
}

function rolloutIdOf(row: Readonly<Record<string, unknown>>): string | undefined {
  const id = row[ROW_ROLLOUT_ID];
  if (typeof id === 'number') return String(id);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Why the report that `row` holds is not valid; `undefined` when it is, or when there is none. */
export function reportFault(row: SavedRow): string | undefined {
  if (!row.report.omitted || row.report.events.size > 0) return undefined;
  const { [ROW_EVENTS]: events, [ROW_FAILURE_ID]: failureId, [ROW_OMITTED]: omitted } = row.value;
  try {
    FailureReport.parse({ events, failure_id: failureId, omitted });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What a row's own fields say of the rollout. */
export interface RowFacts {
  readonly task: string | undefined;
  readonly rolloutOfTask: string | undefined;
  readonly reward: string | undefined;
  /** Class and reason of a failure that the row names without a report, as a judge's failsafe does. */
  readonly failure: string | undefined;
}

/** The facts for a row's headline. */
export function factsOf({ value }: SavedRow): RowFacts {
  const kind = value[JUDGE_FAILURE_CLASS] ?? value.failure_kind;
  const reason = value.failure_reason;
  return {
    task: scalar(value[ROW_TASK_INDEX]),
    rolloutOfTask: scalar(value[ROW_ROLLOUT_INDEX]),
    reward: scalar(value.reward),
    failure:
      typeof kind === 'string' && kind !== '' ? `${kind}${typeof reason === 'string' ? `: ${reason}` : ''}` : undefined,
  };
}

function scalar(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
