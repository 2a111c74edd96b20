/** The collector: `collector.ts TASKS.jsonl OUT_DIR CONCURRENCY`. Plays each rollout and saves its rows. */
import path from 'node:path';
import { type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  FailureReport,
  FailureReportRow,
  failureReportFor,
  NgFailureEvent,
  observeFailure,
} from 'opentelemetry-instrumentation-nemo-gym';
import { callAgent } from './agent-client.ts';
import { type PlannedRollout, plannedRolloutOf } from './plan.ts';
import { appendRow, type Row, readRows } from './rows.ts';

const [tasksFile = '', outDir = '', concurrency = '4'] = process.argv.slice(2);
const RESULTS = path.join(outDir, 'rollouts.jsonl');
const FAILURES = path.join(outDir, 'rollouts_failures.jsonl');

const tracer = trace.getTracer('rollout-collector');

/** How one attempt went: an answer, a failed episode or an error; and what the replies reported. */
interface Attempt {
  readonly answer?: Row;
  readonly error?: unknown;
  readonly reports: readonly FailureReport[];
}

/** One rollout is one trace: everything that its servers do hangs below this span. */
async function collect(rollout: PlannedRollout): Promise<void> {
  const rolloutId = rollout._ng_rollout_id;
  const attributes = { 'nemo.gym.rollout.id': rolloutId };
  await tracer.startActiveSpan(`rollout ${rollout._ng_task_index}`, { root: true, attributes }, async (span) => {
    try {
      let saved: SavedRow = { file: FAILURES, row: {} };
      for (let number = 1; number <= rollout.attempts && saved.file === FAILURES; number += 1) {
        saved = await save(rollout, number, await attempt(rollout, number === rollout.attempts));
      }
      if (saved.file === FAILURES) fail(span, saved.row);
      process.send?.({ story: rollout.story, rolloutId, file: path.basename(saved.file) });
    } finally {
      span.end();
    }
  });
}

async function attempt(rollout: PlannedRollout, last: boolean): Promise<Attempt> {
  const reports: FailureReport[] = [];
  try {
    return { answer: await callAgent(rollout, (report) => reports.push(report)), reports };
  } catch (error) {
    if (!last || rollout.attempts === 1) return { error, reports };
    const incomplete = new NgFailureEvent({
      boundary: 'collection',
      failureKind: 'cohort_incomplete',
      failureReason: `No result after ${rollout.attempts} attempts`,
      operation: 'collect',
      cause: error,
    });
    observeFailure(incomplete);
    return { error: incomplete, reports };
  }
}

/** Shows on the rollout's span what its row says: who opens the trace sees at once what it failed by. */
function fail(span: Span, row: Row): void {
  const { failureId, events } = FailureReportRow.report(row);
  const failure = failureId === undefined ? undefined : events.get(failureId);
  span.setStatus({ code: SpanStatusCode.ERROR, message: failure?.failure_reason ?? 'failed' });
  if (failure === undefined) return;
  span.setAttributes({
    'nemo.gym.failure.id': failure.event_id,
    'nemo.gym.failure.kind': failure.failure_kind,
    'nemo.gym.failure.boundary': failure.boundary,
  });
}

interface SavedRow {
  readonly file: string;
  readonly row: Row;
}

/** Writes the attempt's row, a second time where the first write fails. */
async function save(rollout: PlannedRollout, number: number, attempt: Attempt): Promise<SavedRow> {
  const { file, row } = rowOf(rollout, number, attempt);
  const lost = rollout.script.collector === 'lose_first_write';
  try {
    await appendRow(lost ? path.join(outDir, 'no-such-folder', 'rollouts.jsonl') : file, row);
  } catch (error) {
    const failure = new NgFailureEvent({
      boundary: 'collection',
      failureKind: 'persistence_failed',
      failureReason: 'The row could not be written at once',
      operation: 'save',
      cause: error,
    });
    observeFailure(failure);
    await appendRow(file, FailureReportRow.mergedInto(row, failureReportFor(failure).asObservations()));
  }
  return { file, row };
}

function rowOf(rollout: PlannedRollout, number: number, attempt: Attempt): { file: string; row: Row } {
  const ids = {
    _ng_task_index: rollout._ng_task_index,
    _ng_rollout_index: rollout._ng_rollout_index,
    _ng_rollout_id: rollout._ng_rollout_id,
    agent_ref: { type: 'responses_api_agents', name: 'example_agent' },
    attempt: number,
  };
  const { answer, error, reports } = attempt;
  if (answer === undefined) {
    const row: Row = { ...rollout, ...ids, error: error instanceof Error ? error.message : String(error) };
    return { file: FAILURES, row: FailureReportRow.mergedInto(row, failureReportFor(error), ...reports) };
  }
  // An episode that failed comes with status 200, its report beside it.
  const { failure_report: beside, ...row }: Row = { ...answer, ...ids };
  const own = beside === undefined ? FailureReport.EMPTY : FailureReport.parse(beside);
  return {
    file: answer.failure === undefined ? RESULTS : FAILURES,
    row: FailureReportRow.mergedInto(row, own, ...reports),
  };
}

// Without its parent nobody waits for the batch.
const orphaned = (): never => process.exit(1);
process.once('disconnect', orphaned);

const rollouts = (await readRows(tasksFile)).map(plannedRolloutOf).values();
async function work(): Promise<void> {
  for (const rollout of rollouts) await collect(rollout);
}
await Promise.all(Array.from({ length: Number(concurrency) }, work));
// Nothing is left to do: telemetry.ts exports the last spans, and the process ends.
process.off('disconnect', orphaned);
if (process.connected) process.disconnect();
