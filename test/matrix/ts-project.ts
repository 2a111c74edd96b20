import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Platform } from './cells.ts';
import { compilerOf, fixtureOf } from './plan.ts';

const NODE_TYPES = fileURLToPath(new URL('../../node_modules/@types/node', import.meta.url));
const made: string[] = [];

/** A folder of TypeScript in the project that has the package installed from its tarball, with Node's types beside it. */
export function tsProject(line: Platform['line'], files: Readonly<Record<string, string>>): string {
  const place = mkdtempSync(join(fixtureOf(line), 'types-'));
  made.push(place);
  mkdirSync(join(place, 'node_modules', '@types'), { recursive: true });
  symlinkSync(NODE_TYPES, join(place, 'node_modules/@types/node'));
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  return place;
}

export function removeProjects(): void {
  for (const place of made) rmSync(place, { recursive: true, force: true });
}

/** What a compiler says of a project's files, written to `out`; the empty text when it has nothing against them. */
export function compile(version: string, place: string, files: readonly string[], options: object): Promise<string> {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'ESNext.Disposable'],
    types: ['node'],
    strict: true,
    declaration: true,
    outDir: 'out',
    rootDir: '.',
    ...options,
  };
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  return new Promise((resolve) => {
    execFile(process.execPath, [compilerOf(version), '-p', place], { cwd: place }, (error, stdout, stderr) => {
      resolve(error === null ? '' : `${stdout}${stderr}` || String(error));
    });
  });
}
