/** What the hostile peer can do, and what of it the reply above has to report. */
import type { Verdict } from '../messages.ts';

/** A way in which the peer answers. */
export interface PeerKind {
  /** Ids that arrive for certain, in a header that is whole or in an event that is. */
  readonly ids: (n: number) => readonly string[];
  readonly omitted: Verdict;
  /** It never ends: the caller's own time limit does. */
  readonly endless?: boolean;
  /** It breaks off by a reset, which may take with it what was not read yet. */
  readonly resets?: boolean;
}

const none = (): readonly string[] => [];
const one = (n: number): readonly string[] => [`p${n}-0`];
const two = (n: number): readonly string[] => [`p${n}-0`, `p${n}-1`];

/** In the header or the reply as a whole. */
export const HEADS: Readonly<Record<string, PeerKind>> = {
  chain: { ids: two, omitted: 'never' },
  pieces: { ids: two, omitted: 'never' },
  hints: { ids: two, omitted: 'never' },
  escapes: { ids: two, omitted: 'never' },
  // Who reads them joined, as fetch gives them, reads no report.
  repeated: { ids: none, omitted: 'may' },
  'not-json': { ids: none, omitted: 'must' },
  'not-ascii': { ids: none, omitted: 'must' },
  deep: { ids: none, omitted: 'must' },
  'bad-chunk': { ids: two, omitted: 'never' },
  'short-body': { ids: two, omitted: 'never' },
  contradiction: { ids: none, omitted: 'may' },
  'endless-header': { ids: none, omitted: 'never' },
  reset: { ids: none, omitted: 'never' },
};

/** In an event stream, or in none that ever comes. */
export const STREAMS: Readonly<Record<string, PeerKind>> = {
  field: { ids: one, omitted: 'never' },
  'reset-in-line': { ids: one, omitted: 'never', resets: true },
  'half-open': { ids: one, omitted: 'never', endless: true },
  'endless-line': { ids: none, omitted: 'may', endless: true },
  // Kept whole, or not at all and flagged.
  'endless-reports': { ids: one, omitted: 'may', endless: true },
  'no-answer': { ids: none, omitted: 'never', endless: true },
  'half-head': { ids: none, omitted: 'never', endless: true },
  drops: { ids: none, omitted: 'may', endless: true },
};

/** Ids of the peer that may be in the reply to request `n`. */
export function isPeerIdOf(n: number, id: string): boolean {
  return id.startsWith(`p${n}-`);
}
