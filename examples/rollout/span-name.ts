const ROLLOUT = /^\/ng-rollout\/[^/]+/;

/** A span's name for people: what was asked, without the rollout's id, so that all rollouts share their names. */
export function spanName(method = '', target = ''): string {
  const [path = ''] = target.split('?');
  return `${method} ${path.replace(ROLLOUT, '') || '/'}`;
}
