import type { Platform } from './cells.ts';

/** What scripts/matrix.mjs made ready: a path, or why there is none. */
interface Plan {
  readonly nodes: Readonly<Record<Platform['node'], Ready>>;
  readonly fixtures: Readonly<Record<Platform['line'], Ready>>;
  readonly checkouts: Readonly<Record<Platform['line'], Ready>>;
  readonly tarballs: Readonly<Record<'tarball', Ready>>;
  readonly typescripts: Readonly<Record<string, Ready>>;
}

type Ready = { readonly path: string } | { readonly error: string };

/** The Node binary of a major version. */
export function nodeOf(node: Platform['node']): string {
  return pathOf(plan().nodes[node], `Node ${node}`);
}

/** A user's project with a line of OpenTelemetry JS, the package's tarball and the programs in it. */
export function fixtureOf(line: Platform['line']): string {
  return pathOf(plan().fixtures[line], line);
}

/** A checkout of this package, built, with a line of OpenTelemetry JS installed. */
export function checkoutOf(line: Platform['line']): string {
  return pathOf(plan().checkouts[line], `the checkout with ${line}`);
}

/** The package as npm packed it. */
export function packedTarball(): string {
  return pathOf(plan().tarballs.tarball, 'the tarball');
}

/** The file of a TypeScript compiler that Node runs. */
export function compilerOf(version: string): string {
  return pathOf(plan().typescripts[version] ?? { error: 'nobody made it ready' }, `TypeScript ${version}`);
}

function plan(): Plan {
  const given = process.env.MATRIX_PLAN;
  if (given === undefined) throw new Error('MATRIX_PLAN is not set: run this suite with `npm run test:matrix`');
  return JSON.parse(given);
}

function pathOf(ready: Ready, what: string): string {
  if ('path' in ready) return ready.path;
  throw new Error(`${what} is not there: ${ready.error}`);
}
