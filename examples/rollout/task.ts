import { z } from 'zod';

/** What the model server does with one request. */
export const MODEL_ACTS = [
  'answer',
  'tool',
  'deadly_tool',
  'forbidden_tool',
  'unavailable',
  'unavailable_at_length',
  'quota',
  'hang',
  'drop',
  'break_stream',
  'cut_stream',
  'mumble',
] as const;
export type ModelAct = (typeof MODEL_ACTS)[number];

/**
 * Who misbehaves, and when. A list is for the first, second, … request of a rollout; its last entry repeats. Real
 * servers need no script: theirs fail by themselves.
 */
const scriptSchema = z.object({
  model: z.array(z.enum(MODEL_ACTS)).default(['answer']),
  judge: z.array(z.enum(MODEL_ACTS)).default(['answer']),
  agent: z.array(z.enum(['run', 'break', 'hang'])).default(['run']),
  /** What the agent does when its sandbox is gone: fail, or answer with the failed episode. */
  episode: z.enum(['fail', 'handle']).default('fail'),
  session: z.enum(['ok', 'expired', 'not_released']).default('ok'),
  /** A failed judge call gives a masked sample, or fails the verification. */
  verify: z.enum(['failsafe', 'strict']).default('failsafe'),
  collector: z.enum(['run', 'stream', 'lose_first_write']).default('run'),
});
export type Script = z.infer<typeof scriptSchema>;

/** A task row as Gym reads it: what goes to the model, beside the environment's own fields. */
export const taskSchema = z.object({
  responses_create_params: z.object({
    input: z.array(z.object({ role: z.literal('user'), content: z.string() })),
  }),
  expected_answer: z.string(),
  story: z.string(),
  script: scriptSchema,
  /** Attempts that the collector makes. */
  attempts: z.int().min(1).default(1),
  /** Milliseconds that the collector waits for the agent. */
  timeout_ms: z.int().default(30_000),
  /** Milliseconds that the agent waits for the model. */
  model_timeout_ms: z.int().default(10_000),
});
export type Task = z.infer<typeof taskSchema>;

/** Plays a list of acts, one list for each key. */
export class Acts {
  readonly #played = new Map<string, number>();

  next<Act>(key: string, acts: readonly Act[]): Act {
    const played = this.#played.get(key) ?? 0;
    this.#played.set(key, played + 1);
    const act = acts[Math.min(played, acts.length - 1)];
    if (act === undefined) throw new Error(`${key}: the list of acts is empty`);
    return act;
  }
}
