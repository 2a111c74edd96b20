import { z } from 'zod';
import { firstIssue } from './failure-event.ts';
import { isPlainObject } from './json.ts';
import { isKnownKind, readFailureKind } from './kinds.ts';
import { boundedText, shown } from './text.ts';
import { REASON_MAX_CHARS, STAGES } from './wire.ts';

/** The envelope of one failed episode, version 1: these four members and no others. */
export interface EpisodeFailure {
  /** Text for people, at most 2,000 code points. */
  readonly failure_reason: string;
  /** Whether the episode is over; the environment decides. */
  readonly terminal: boolean;
  /** Registered, or namespaced `<server>:<kind>`. */
  readonly failure_kind?: string;
  /** In which part of the episode it failed. */
  readonly stage?: (typeof STAGES)[number];
}

const episodeFailureSchema = z.strictObject({
  failure_reason: z.string(),
  terminal: z.boolean(),
  failure_kind: z.string().refine(isKnownKind, 'neither registered nor of the form <server>:<kind>').optional(),
  stage: z.enum(STAGES).optional(),
});

/**
 * An envelope with only the members that are set, its reason bounded.
 *
 * @throws TypeError that names the member and the value
 */
export function readEpisodeFailure(value: unknown): EpisodeFailure {
  if (!isPlainObject(value)) throw new TypeError(`Invalid episode failure: expected an object, got ${shown(value)}`);
  const set = Object.fromEntries(Object.entries(value).filter(([, member]) => member != null));
  const kind = set.failure_kind;
  if (typeof kind === 'string') set.failure_kind = readFailureKind(kind) ?? kind;
  if (typeof set.failure_reason === 'string') {
    set.failure_reason = boundedText(set.failure_reason, REASON_MAX_CHARS);
  }
  if (isEpisodeFailure(set)) return Object.freeze(set);
  throw new TypeError('Invalid episode failure');
}

function isEpisodeFailure(value: Record<string, unknown>): value is Record<string, unknown> & EpisodeFailure {
  const result = episodeFailureSchema.safeParse(value);
  if (!result.success) {
    throw new TypeError(`Invalid episode failure: ${firstIssue(result.error, value, '')}`, { cause: result.error });
  }
  return true;
}
