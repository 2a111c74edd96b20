/** What scripts/e2e.mjs made ready: a path, or why there is none. */
type Ready = { readonly path: string } | { readonly error: string };

/** The program's path; throws, so that a test fails, when it could not be built. */
export function binaryOf(peer: 'jaeger' | 'collector' | 'chromium'): string {
  const given = process.env.E2E_PEERS;
  if (given === undefined) throw new Error('E2E_PEERS is not set: run this suite with `npm run test:e2e`');
  const peers: Readonly<Record<string, Ready>> = JSON.parse(given);
  const ready = peers[peer];
  if (ready !== undefined && 'path' in ready) return ready.path;
  throw new Error(`${peer} is not there: ${ready?.error}`);
}
