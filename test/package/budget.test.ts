import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { node, pack, ROOT } from './packed.ts';

/**
 * What installing and loading may cost, some tenth above what it was when this was written. More is a decision: write
 * the new number here, and why in the commit.
 */
const BUDGET = { packed: 285_000, unpacked: 890_000, files: 70 };

/** Bytes of JavaScript that one import loads: of this package, and of all packages. */
const LOADED: Readonly<Record<string, { own: number; all: number }>> = {
  '': { own: 250_000, all: 1_400_000 },
  '/express': { own: 95_000, all: 1_120_000 },
  '/fastify': { own: 95_000, all: 1_120_000 },
  '/hono': { own: 95_000, all: 1_120_000 },
  '/koa': { own: 95_000, all: 1_120_000 },
  '/register': { own: 172_000, all: 1_330_000 },
};

/** A least part of each budget: what costs that little was not measured, or the budget guards nothing. */
const LEAST = 0.75;

describe('the tarball costs no more than it did', () => {
  it('in bytes, packed and unpacked, and in files', async () => {
    const { size, unpackedSize, files, remove } = await pack();
    remove();
    within(size, BUDGET.packed);
    within(unpackedSize, BUDGET.unpacked);
    within(files.length, BUDGET.files);
  });
});

describe('an import loads no more than it did', () => {
  const paths = Object.keys(packageJson.exports).filter((path) => path !== './package.json');

  it('has a budget for each sub-path', () => {
    expect(Object.keys(LOADED).map((path) => `.${path}`)).toEqual(paths);
  });

  it.each(Object.entries(LOADED))('of the sub-path “%s”', async (path, budget) => {
    const files = await filesLoadedBy(`import '${packageJson.name}${path}'`);
    const own = files.filter((file) => !file.includes(`${sep}node_modules${sep}`));
    within(bytesOf(own), budget.own);
    within(bytesOf(files), budget.all);
  });
});

function within(cost: number, budget: number): void {
  expect(cost).toBeLessThanOrEqual(budget);
  expect(cost).toBeGreaterThan(budget * LEAST);
}

const bytesOf = (files: readonly string[]): number => files.reduce((sum, file) => sum + statSync(file).size, 0);

/** Every file whose code a new process ran, as V8 tells it. */
async function filesLoadedBy(code: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ng-loaded-'));
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: folder };
    expect(await node(['--input-type=module', '--eval', code], ROOT, env)).toEqual({ code: 0, said: '' });
    const [name = ''] = readdirSync(folder);
    const { result }: { result: { url: string }[] } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const urls = result.map(({ url }) => url).filter((url) => url.startsWith('file:') && !url.includes('[eval'));
    return urls.map((url) => fileURLToPath(url));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
