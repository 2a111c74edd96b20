import { appendFile, readFile } from 'node:fs/promises';
import { type FailureEvent, type FailureReport, FailureReportRow } from 'opentelemetry-instrumentation-nemo-gym';
import { asObject } from './json.ts';

export type Row = Record<string, unknown>;

/** Adds a row to a JSON lines file. */
export async function appendRow(file: string, row: Row): Promise<void> {
  await appendFile(file, `${JSON.stringify(row)}\n`);
}

/** The rows of a JSON lines file; none when there is no file. */
export async function readRows(file: string): Promise<Row[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => asObject(JSON.parse(line)));
}

/** What a row tells of failures, in the form in which the stories state what they expect. */
export interface ToldFailures {
  /** Whether the row names a failure as the rollout's own. */
  readonly own: boolean;
  readonly omitted: boolean;
  /** Each chain from its outermost event to its cause: `agent/agent_run_error <- model/transport_timeout`. */
  readonly chains: readonly string[];
}

export function failuresOf(row: Row): ToldFailures {
  const report = FailureReportRow.report(row);
  return { own: report.failureId !== undefined, omitted: report.omitted, chains: chainsOf(report) };
}

function chainsOf({ events }: FailureReport): string[] {
  const causes = new Set([...events.values()].map((event) => event.cause_id));
  const outermost = [...events.values()].filter((event) => !causes.has(event.event_id));
  return outermost.map((event) => chainFrom(event, events).join(' <- ')).sort();
}

function chainFrom(event: FailureEvent | undefined, events: FailureReport['events']): string[] {
  if (event === undefined) return [];
  const cause = event.cause_id === undefined ? undefined : events.get(event.cause_id);
  return [`${event.boundary}/${event.failure_kind}`, ...chainFrom(cause, events)];
}
