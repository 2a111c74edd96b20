import { z } from 'zod';
import { STORIES } from './stories.ts';
import { taskSchema } from './task.ts';

/** A rollout's row before it is played: its task and its ids, as Gym writes them. */
const plannedSchema = z.object({
  ...taskSchema.shape,
  _ng_task_index: z.int(),
  _ng_rollout_index: z.int(),
  _ng_rollout_id: z.string(),
});
export type PlannedRollout = z.infer<typeof plannedSchema>;

/** @throws ZodError when `row` is no planned rollout */
export function plannedRolloutOf(row: unknown): PlannedRollout {
  return plannedSchema.parse(row);
}

/**
 * The batch for a seed: every story once before any comes a second time, in an order that the seed decides. `runId`
 * keeps the rollout ids of several batches apart.
 */
export function planOf({ rollouts, seed, runId }: { rollouts: number; seed: number; runId: string }): PlannedRollout[] {
  const order = shuffled(STORIES, seed);
  return Array.from({ length: rollouts }, (_, index) => {
    const taskIndex = index % order.length;
    const rolloutIndex = Math.floor(index / order.length);
    const story = order[taskIndex];
    return plannedRolloutOf({
      ...story?.task,
      story: story?.name,
      responses_create_params: { input: [{ role: 'user', content: 'What is 6 times 7?' }] },
      expected_answer: '42',
      _ng_task_index: taskIndex,
      _ng_rollout_index: rolloutIndex,
      _ng_rollout_id: `${runId}-t${taskIndex}-r${rolloutIndex}`,
    });
  });
}

/** Fisher and Yates, with a small generator that is the same on every machine (mulberry32). */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const copy = [...items];
  let state = seed;
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const [kept, moved] = [copy[last], copy[other]];
    if (kept === undefined || moved === undefined) continue;
    copy[last] = moved;
    copy[other] = kept;
  }
  return copy;
}
