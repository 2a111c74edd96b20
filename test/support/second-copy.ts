import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';

const CACHE = 'node_modules/.cache';

/**
 * A folder of its own with the built package in it, where a second install would be: it finds the same dependencies. The
 * caller removes it.
 */
export function secondCopy(): string {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${CACHE}/ng-second-copy-`);
  cpSync('dist', `${folder}/dist`, { recursive: true });
  cpSync('package.json', `${folder}/package.json`);
  return folder;
}
