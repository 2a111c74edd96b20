import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { agentFailure, attempt, eventId, reportOf, rolloutId, row, traceId } from '../../test/support/rows.ts';
import { exportOf, span, spanEvent } from '../../test/support/rows-traces.ts';

const ROWS = 100_000;
/** Rows of ten that have a report. */
const FAILED_OF_TEN = 3;
const ROW_BYTES = 1000;

/** Writes 100,000 rows of 1,000 bytes, and the traces that tell of the same failures; gives back the files' names. */
export async function writeRowsAndTraces(folder: string): Promise<{ rows: string; traces: string }> {
  const rows = join(folder, 'rows.jsonl');
  const traces = join(folder, 'traces.jsonl');
  const rowsOut = createWriteStream(rows);
  const tracesOut = createWriteStream(traces);
  let spans: object[] = [];
  for (let index = 0; index < ROWS; index += 1) {
    const failed = index % 10 < FAILED_OF_TEN;
    const [first, second] = [attempt(eventId(index, 0)), agentFailure(eventId(index, 1), eventId(index, 0))];
    const report = failed ? reportOf([first, second], { failure_id: second.event_id }) : {};
    const bare = JSON.stringify(row(index, report));
    const answer = 'x'.repeat(Math.max(0, ROW_BYTES - bare.length - 14));
    rowsOut.write(`${JSON.stringify(row(index, report, { answer }))}\n`);
    const common = { traceId: traceId(index), rolloutId: rolloutId(index) };
    spans.push(
      span({ ...common, events: failed ? [spanEvent(first), spanEvent(second)] : [] }),
      span({ ...common, events: failed ? [spanEvent(first)] : [] }),
    );
    if (spans.length < 256 && index < ROWS - 1) continue;
    if (!tracesOut.write(`${JSON.stringify(exportOf(spans))}\n`)) await drained(tracesOut);
    if (rowsOut.writableNeedDrain) await drained(rowsOut);
    spans = [];
  }
  for (const stream of [rowsOut, tracesOut]) await new Promise<void>((resolve) => stream.end(resolve));
  return { rows, traces };
}

async function drained(stream: NodeJS.WritableStream): Promise<void> {
  await new Promise((resolve) => stream.once('drain', resolve));
}
