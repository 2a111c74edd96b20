import type { FailureBoundary } from '../../records/failure-event.ts';
import { type Arguments, requireFiles } from '../arguments.ts';
import { EXIT_FOUND, EXIT_OK, EXIT_USAGE, type Streams } from '../command.ts';
import { Problems } from '../problems.ts';
import { unreadable } from '../rows/lines.ts';
import { factsOf, type SavedRow, savedRows } from '../rows/rows.ts';
import { counted } from '../text.ts';
import { OtlpFile } from '../traces/otlp-file.ts';
import { TraceIndex } from '../traces/trace-index.ts';
import { renderTree } from './tree.ts';

/**
 * `ng-failures show`: the failures of each row as trees. A file that cannot be read does not keep the others from
 * being shown.
 *
 * @throws UsageError without a file, UnreadableFileError when a read fails half-way
 */
export async function show({ files, values }: Arguments, { out, err }: Streams, usage: string): Promise<number> {
  requireFiles(files, usage);
  const problems = new Problems((text) => err.write(text));
  const tracePaths = values.get('traces') ?? [];
  const faults = [...files, ...tracePaths].map((file) => unreadable(file)).filter((fault) => fault !== undefined);
  for (const fault of faults) err.write(`${fault}\n`);
  const sources = tracePaths.filter((file) => unreadable(file) === undefined).map((file) => new OtlpFile(file));
  const traces = sources.length > 0 ? { traces: await TraceIndex.of(sources, problems) } : {};
  const tally = new Tally();
  for (const file of files) {
    if (unreadable(file) !== undefined) continue;
    for await (const rows of savedRows(file, problems)) {
      for (const row of rows) {
        tally.add(row);
        out.write(renderTree(row, { style: out.style, ...traces }));
      }
      await err.flush();
      await out.drain();
      if (out.closed) break;
    }
  }
  out.write(`${tally.toString()}\n`);
  if (faults.length > 0) return EXIT_USAGE;
  return problems.badLines > 0 ? EXIT_FOUND : EXIT_OK;
}

/** Counts for the line at the end. */
class Tally {
  #rows = 0;
  #failed = 0;
  #recovered = 0;
  #omitted = 0;
  #onlyOmitted = 0;
  #events = 0;
  readonly #byBoundary = new Map<FailureBoundary, number>();

  add(row: SavedRow): void {
    const { events, failureId, omitted } = row.report;
    this.#rows += 1;
    if (failureId !== undefined || factsOf(row).failure !== undefined) this.#failed += 1;
    else if (events.size > 0) this.#recovered += 1;
    else if (omitted) this.#onlyOmitted += 1;
    if (omitted) this.#omitted += 1;
    this.#events += events.size;
    for (const { boundary } of events.values()) {
      this.#byBoundary.set(boundary, (this.#byBoundary.get(boundary) ?? 0) + 1);
    }
  }

  toString(): string {
    const well = this.#rows - this.#failed - this.#recovered - this.#onlyOmitted;
    const boundaries = [...this.#byBoundary].sort(([, one], [, other]) => other - one);
    const list = boundaries.map(([boundary, count]) => `${boundary} ${count.toLocaleString('en-US')}`).join(', ');
    const parts = [
      `${counted(this.#rows, 'row')}: ${count(this.#failed)} failed`,
      `${count(this.#recovered)} recovered`,
      ...(this.#onlyOmitted > 0 ? [`${count(this.#onlyOmitted)} with nothing but omitted evidence`] : []),
      `${count(well)} without failures; ${counted(this.#events, 'event')}${list === '' ? '' : ` (${list})`}`,
      ...(this.#omitted > 0 ? [`evidence omitted in ${counted(this.#omitted, 'row')}`] : []),
    ];
    return parts.join(', ');
  }
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}
