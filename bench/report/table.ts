import { type RowResult, type Run, wasAskedFor } from './results.ts';

const SIGNS = { lower: '≤', higher: '≥' } as const;

/** A run as one table for a terminal. */
export function textTable(run: Run): string {
  const head = ['what', 'against', 'median', 'min–max', 'goal', ''];
  const lines = [
    head,
    ...run.rows
      .filter((row) => wasAskedFor(run, row))
      .map((row) => [row.what, row.against, median(row), range(row), goal(row), said(row, run)]),
  ];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const table = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${title(run)}\n\n${table.join('\n')}\n`;
}

/**
 * Several runs, one a Node, as one table for docs/performance.md. They must be of the same rows.
 *
 * @throws Error when they are not, or there is none
 */
export function markdownTable(runs: readonly Run[]): string {
  const [first] = runs;
  if (first === undefined) throw new Error('there is no run to show: give the files that --out saved');
  const ids = (run: Run): string => run.rows.map(({ id }) => id).join();
  const other = runs.find((run) => ids(run) !== ids(first));
  if (other !== undefined)
    throw new Error(`the runs of ${first.date} and ${other.date} have different rows: repeat one`);
  const head = ['what', 'against', ...runs.flatMap(({ node }) => [`Node ${node}`, 'goal'])];
  const body = first.rows.map((row, index) => [
    row.what,
    row.against,
    ...runs.flatMap(({ rows }) => {
      const result = rows[index] ?? row;
      return [figure(result), goal(result)];
    }),
  ]);
  const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`);
  return `${runs.map(title).join('  \n')}\n\n${lines.join('\n')}\n`;
}

function title({ node, cpu, cores, date, guard }: Run): string {
  return `Node ${node}, ${cpu}, ${cores} cores, ${date.slice(0, 10)}${guard ? '; short run: only a slip fails' : ''}`;
}

function figure(row: RowResult): string {
  const missed = row.verdict === 'missed' || row.verdict === 'slipped';
  const shown = row.median === null ? median(row) : `${median(row)} (${range(row)})`;
  return missed ? `**${shown}**` : shown;
}

function median({ median: value, unit }: RowResult): string {
  return value === null ? 'not measured' : `${number(value)} ${unit}`;
}

function range({ min, max }: RowResult): string {
  return min === null || max === null ? '' : `${number(min)}–${number(max)}`;
}

function goal({ goal: value, better, unit }: RowResult): string {
  return value === null ? '' : `${SIGNS[better]} ${value} ${unit}`;
}

function said({ verdict, guard, unit, better }: RowResult, run: Run): string {
  if (verdict === 'no goal') return '';
  if (guard === null || !run.guard || verdict === 'not measured') return verdict;
  return `${verdict === 'slipped' ? 'FAILED' : 'ok'} (${SIGNS[better]} ${Number(guard.toFixed(3))} ${unit})`;
}

/** Three digits that count. */
function number(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 || size === 0 ? 2 : 3);
}
