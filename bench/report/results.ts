import { type BenchRow, goalOf } from './rows.ts';

/** What a run was made on and how. */
export interface RunFacts {
  /** Version of Node, without a `v`. */
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  /** In ISO form. */
  readonly date: string;
  /** Whether it was the short run, in which only a slip fails. */
  readonly guard: boolean;
  /** What was asked for; rows of other benches are not measured. */
  readonly benches: readonly string[];
}

/** One row with what was measured. */
export interface RowResult {
  readonly id: string;
  readonly bench: string;
  readonly what: string;
  readonly against: string;
  readonly unit: BenchRow['unit'];
  readonly better: BenchRow['better'];
  /** `null` where the row has none. */
  readonly goal: number | null;
  /** Past this the short run fails. `null` where the row has no goal. */
  readonly guard: number | null;
  /** How many measurements the median is of; each was taken beside the one that it is compared with. */
  readonly rounds: number;
  /** `null` where nothing was measured, as are `min` and `max`. */
  readonly median: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly verdict: Verdict;
}

/** `slipped` is a goal missed by more than noise explains: past twice of it, or below half of it where more is better. */
export type Verdict = 'met' | 'missed' | 'slipped' | 'no goal' | 'not measured';

export interface Run extends RunFacts {
  readonly rows: readonly RowResult[];
}

/** Judges all of `rows`, also those for which nothing was handed in. */
export function runOf(
  facts: RunFacts,
  rows: readonly BenchRow[],
  measured: ReadonlyMap<string, readonly number[]>,
): Run {
  const major = Number.parseInt(facts.node, 10);
  return { ...facts, rows: rows.map((row) => resultOf(row, major, measured.get(row.id) ?? [])) };
}

function resultOf(row: BenchRow, nodeMajor: number, values: readonly number[]): RowResult {
  const { id, bench, what, against, unit, better } = row;
  const goal = goalOf(row, nodeMajor) ?? null;
  const guard = goal === null ? null : (row.guard ?? (better === 'lower' ? goal * 2 : goal / 2));
  const sorted = values.toSorted((one, other) => one - other);
  const figures = { median: middle(sorted), min: orNull(sorted[0]), max: orNull(sorted.at(-1)) };
  const verdict = verdictOf(figures.median, { better, goal, guard });
  return { id, bench, what, against, unit, better, goal, guard, rounds: values.length, ...figures, verdict };
}

function middle(sorted: readonly number[]): number | null {
  const [below = Number.NaN, above = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return orNull((below + above) / 2);
}

/** A figure that is no number, as of a division by nothing, is none. */
function orNull(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value;
}

function verdictOf(median: number | null, row: Pick<RowResult, 'better' | 'goal' | 'guard'>): Verdict {
  if (median === null) return 'not measured';
  if (row.goal === null || row.guard === null) return 'no goal';
  const isWithin = (limit: number): boolean => (row.better === 'lower' ? median <= limit : median >= limit);
  if (isWithin(row.goal)) return 'met';
  return isWithin(row.guard) ? 'missed' : 'slipped';
}

/** Whether the run was to measure that row. */
export function wasAskedFor(run: Run, { bench }: RowResult): boolean {
  return run.benches.includes(bench);
}

/** The rows that make a run fail. */
export function failures(run: Run): readonly RowResult[] {
  const failing: readonly Verdict[] = run.guard ? ['slipped', 'not measured'] : ['missed', 'slipped', 'not measured'];
  return run.rows.filter((row) => wasAskedFor(run, row) && failing.includes(row.verdict));
}
