import type { PlannedRollout } from './plan.ts';
import { failuresOf, type Row } from './rows.ts';
import { type ExpectedRow, STORIES } from './stories.ts';

/** The saved rows, by file. */
export type SavedRows = Readonly<Record<ExpectedRow['file'], readonly Row[]>>;

/** What is wrong with the saved rows, as the stories tell them; empty when every row is as it must be. */
export function checkRows(plan: readonly PlannedRollout[], saved: SavedRows): string[] {
  const problems: string[] = [];
  const planned = new Set(plan.map((rollout) => rollout._ng_rollout_id));
  for (const file of ['results', 'failures'] as const) {
    for (const rollout of plan) problems.push(...checkRollout(rollout, file, saved[file]));
    const strays = saved[file].filter((row) => !planned.has(String(row._ng_rollout_id)));
    if (strays.length > 0) problems.push(`${file}: ${strays.length} rows belong to no rollout of this batch`);
  }
  return problems;
}

function checkRollout(rollout: PlannedRollout, file: ExpectedRow['file'], rows: readonly Row[]): string[] {
  const { _ng_rollout_id: rolloutId, story: name } = rollout;
  const story = STORIES.find((candidate) => candidate.name === name);
  const expected = (story?.rows ?? []).filter((row) => row.file === file).map(told);
  const found = rows.filter((row) => row._ng_rollout_id === rolloutId).map((row) => told(failuresOf(row)));
  if (JSON.stringify(found) === JSON.stringify(expected)) return [];
  const list = (items: readonly string[]): string => (items.length === 0 ? 'no row' : items.join('; then '));
  return [`${rolloutId} (${name}), ${file}: expected ${list(expected)}; found ${list(found)}`];
}

function told({ own, chains, omitted = false }: Pick<ExpectedRow, 'own' | 'chains' | 'omitted'>): string {
  const what = chains.length === 0 ? 'no failure' : [...chains].sort().join(' and ');
  return `${own ? 'its own ' : ''}${what}${omitted ? ', omitted' : ''}`;
}
