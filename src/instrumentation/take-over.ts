import { sharedState } from '../records/shared-state.ts';

interface Post {
  /** What acts until the app enables an instrumentation of its own. */
  standIn: { disable(): void } | undefined;
  /** Whether the app has done so. */
  taken: boolean;
}

const post = sharedState('stand-in', (): Post => ({ standIn: undefined, taken: false }));

/** Whether an instrumentation of the app's own has been enabled, so that nobody needs to stand in for it. */
export function isTaken(): boolean {
  return post.taken;
}

/** Lets something act until the app enables an instrumentation of its own. */
export function standInWith(standIn: { disable(): void }): void {
  post.standIn = standIn;
}

/**
 * Ends a stand-in's work, if there is one; each instrumentation that is enabled calls it. With both at work the older
 * would act, and the options that the app gives in its code would count for nothing.
 */
export function takeOver(): void {
  const { standIn } = post;
  post.taken = true;
  post.standIn = undefined;
  standIn?.disable();
}
