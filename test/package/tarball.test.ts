import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { node, type Packed, pack, ROOT } from './packed.ts';

/** Records of what maintainers tried; README and support.md name the first for whoever has the sources. */
const MAINTAINERS = ['coverage.md', 'foreign-suites.md', 'soak.md'];
/** What packed pages may link to though it is not packed: the screenshot, and what needs the sources. */
const LEFT_OUT = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/coverage.md', 'docs/summary.png'];
/** A file that the command reads as data. */
const PAGE_PROGRAM = 'dist/summary-page.js';

let packed: Packed;

beforeAll(async () => {
  packed = await pack();
});
afterAll(() => packed.remove());

const read = (path: string): string => readFileSync(join(packed.folder, path), 'utf8');

/** The files that a built one imports, requires or takes types from. */
function nextOf(path: string): string[] {
  const specifiers = read(path).matchAll(/(?:from|import|require\()\s*\(?["'](\.{1,2}\/[^"']+)["']/g);
  const next = [...specifiers].map(([, to = '']) => normalize(join(dirname(path), to)));
  return path.endsWith('ts') ? next.map((to) => to.replace(/\.js$/, '.d.ts')) : next;
}

/** All files that whoever comes through one of the doors can meet. */
function reached(doors: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const waiting = [...doors];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    waiting.push(...nextOf(path));
  }
  return seen;
}

const leaves = (value: unknown): string[] =>
  typeof value === 'string' ? [normalize(value)] : Object.values(Object(value)).flatMap(leaves);

describe('the tarball', () => {
  const doors = [...leaves(packageJson.exports), ...leaves(packageJson.bin)].filter((path) => path !== 'package.json');

  it('has each file that exports and bin name, and what these load, and nothing else that is built', () => {
    const built = packed.files.filter((path) => path.startsWith('dist/'));
    expect(built.sort()).toEqual([...reached(doors), PAGE_PROGRAM].sort());
  });

  it('starts ng-failures by its first line, as an executable file', () => {
    const command = packageJson.bin['ng-failures'];
    expect(read(command).split('\n')[0]).toBe('#!/usr/bin/env node');
    expect(statSync(join(packed.folder, command)).mode & 0o111).toBe(0o111);
  });

  it('has the pages and configurations for users, and nothing else beside what is built', () => {
    const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md') && !MAINTAINERS.includes(name));
    const examples = ['jaeger', 'scale'].flatMap((folder) =>
      readdirSync(join(ROOT, 'examples', folder)).map((name) => `examples/${folder}/${name}`),
    );
    const own = ['CHANGELOG.md', 'LICENSE', 'README.md', 'docker-compose.yml', 'otel-collector.yaml', 'package.json'];
    const others = packed.files.filter((path) => !path.startsWith('dist/'));
    expect(others.sort()).toEqual([...own, ...pages.map((name) => `docs/${name}`), ...examples].sort());
  });

  it('has no page that leads to a file which is not in it, but for those that need the sources', () => {
    const pages = packed.files.filter((path) => path.endsWith('.md'));
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) => normalize(join(dirname(page), to))),
    );
    expect(links.length).toBeGreaterThan(15);
    const dead = links.filter((to) => !packed.files.includes(to));
    expect([...new Set(dead)].sort()).toEqual(LEFT_OUT.filter((to) => dead.includes(to)));
    for (const to of LEFT_OUT) expect(existsSync(join(ROOT, to)), to).toBe(true);
  });

  it('is one that publint and attw have nothing against', async () => {
    expect(await node(['scripts/package-checks.mjs', packed.tarball], ROOT)).toEqual({ code: 0, said: '' });
  });

  it('is looked at by both: they see a missing entrance, and types that are not there', async () => {
    const exports = { '.': { types: './dist/gone.d.ts', default: './dist/index.js' }, './koa': './dist/gone.js' };
    writeFileSync(join(packed.folder, 'package.json'), JSON.stringify({ ...packageJson, exports }));
    const broken = await pack(packed.folder);
    const { code, said } = await node(['scripts/package-checks.mjs', broken.tarball], ROOT);
    broken.remove();
    expect(code).toBe(1);
    expect(said).toContain('publint, error: pkg.exports["./koa"] is ./dist/gone.js but the file does not exist');
    expect(said).toContain('attw:');
    expect(said).toContain('Import failed to resolve to type declarations');
  });
});
