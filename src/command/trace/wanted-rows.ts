import { existsSync } from 'node:fs';
import { UsageError } from '../arguments.ts';
import type { Problems } from '../problems.ts';
import { factsOf, type RowPlace, type SavedRow, savedRows } from '../rows/rows.ts';
import { oneLine } from '../text.ts';

/** A row whose trace is looked for. */
export interface WantedRow extends RowPlace {
  /** The rollout's own failure. */
  readonly failureId: string | undefined;
  /** All of its events, its own failure first. */
  readonly eventIds: readonly string[];
}

/** A file, and which of its rows are wanted. */
export interface WantedFile {
  readonly file: string;
  /** Absent: those that tell of a failure. */
  readonly lines: ReadonlySet<number> | undefined;
}

/** Reads `FILE` and `FILE:LINE`; several lines of one file come together, and the whole file counts more. */
export function wantedFiles(names: readonly string[]): readonly WantedFile[] {
  const lines = new Map<string, Set<number> | undefined>();
  for (const name of names) {
    const [, file = name, line] = existsSync(name) ? [] : (/^(.+):(\d+)$/s.exec(name) ?? []);
    if (line === undefined) lines.set(file, undefined);
    else if (!lines.has(file)) lines.set(file, new Set([Number(line)]));
    else lines.get(file)?.add(Number(line));
  }
  return Array.from(lines, ([file, wanted]) => ({ file, lines: wanted }));
}

/**
 * The rows of a file that are wanted.
 *
 * @param all - also those that tell of no failure
 * @throws UnreadableFileError when the file cannot be read, UsageError for a line that holds no row
 */
export async function wantedRows(
  { file, lines }: WantedFile,
  all: boolean,
  problems: Problems,
): Promise<readonly WantedRow[]> {
  const wanted: WantedRow[] = [];
  const left = new Set(lines);
  for await (const rows of savedRows(file, problems)) {
    for (const row of rows) {
      if (lines === undefined ? all || tellsOfFailure(row) : left.delete(row.line)) wanted.push(wantedRow(row));
    }
    if (lines !== undefined && left.size === 0) return wanted;
  }
  if (left.size > 0) throw new UsageError(`${oneLine(file)} has no row in line ${[...left].join(', ')}`);
  return wanted;
}

function tellsOfFailure(row: SavedRow): boolean {
  return !row.report.isEmpty || factsOf(row).failure !== undefined;
}

function wantedRow({ file, line, rolloutId, report }: SavedRow): WantedRow {
  const { failureId, events } = report;
  const others = [...events.keys()].filter((id) => id !== failureId);
  return { file, line, rolloutId, failureId, eventIds: failureId === undefined ? others : [failureId, ...others] };
}
