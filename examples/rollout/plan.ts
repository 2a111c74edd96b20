import { z } from 'zod';
import { STORIES, type Story } from './stories.ts';
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

/** What a batch is made of. */
export interface BatchOptions {
  readonly rollouts: number;
  /** Percent of the rollouts in which nothing fails, beside the stories; spread evenly. Default: 0. */
  readonly healthy?: number;
  /** Decides the order of the stories. */
  readonly seed: number;
  /** Keeps the rollout ids of several batches apart. */
  readonly runId: string;
}

/** The batch for a seed: every story once before any comes a second time, in an order that the seed decides. */
export function planOf({ rollouts, healthy = 0, seed, runId }: BatchOptions): PlannedRollout[] {
  const order = shuffled(STORIES, seed);
  const healthyBefore = (index: number): number => Math.floor((index * healthy) / 100);
  return Array.from({ length: rollouts }, (_, index) => {
    const well = healthyBefore(index);
    if (healthyBefore(index + 1) > well) return planned({ runId, story: HEALTHY, task: order.length, rollout: well });
    const number = index - well;
    const task = number % order.length;
    return planned({ runId, story: order[task], task, rollout: Math.floor(number / order.length) });
  });
}

const HEALTHY = STORIES.find(({ name }) => name === 'healthy');

function planned(of: { runId: string; story: Story | undefined; task: number; rollout: number }): PlannedRollout {
  const { runId, story, task, rollout } = of;
  return plannedRolloutOf({
    ...story?.task,
    story: story?.name,
    responses_create_params: { input: [{ role: 'user', content: 'What is 6 times 7?' }] },
    expected_answer: '42',
    _ng_task_index: task,
    _ng_rollout_index: rollout,
    _ng_rollout_id: `${runId}-t${task}-r${rollout}`,
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
