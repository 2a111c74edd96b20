import { sharedState } from '../records/shared-state.ts';

interface Post {
  /** The instrumentation that acts until the app brings one of its own. */
  holder: { disable(): void } | undefined;
  /** Whether the app has brought one. */
  taken: boolean;
}

const post = sharedState('stand-in', (): Post => ({ holder: undefined, taken: false }));

/**
 * Makes the instrumentation of `/register`, which acts until the app enables one of its own: with two, the older would
 * act, and the options that the app gave in its code would count for nothing.
 *
 * @returns undefined when the app's own is there already; then none is made
 */
export function makeStandIn<T extends { disable(): void }>(make: () => T): T | undefined {
  if (post.taken) return undefined;
  const made = make();
  // Its constructor has enabled it, as the constructor of the app's own would.
  post.taken = false;
  post.holder = made;
  return made;
}

/** Takes the place of a stand-in, if there is one: to be called by each instrumentation that is enabled. */
export function takeOver(instrumentation: object): void {
  const { holder } = post;
  if (holder === instrumentation) return;
  post.taken = true;
  post.holder = undefined;
  holder?.disable();
}
