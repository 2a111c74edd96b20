import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE, cachedFolder, command, npm, ready } from './make-ready.mjs';
import { checkout } from './matrix-checkouts.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MATRIX = join(ROOT, 'test', 'matrix');
const LINES = ['otel2', 'otel3'];
const RUN = 'matrix-run-';
const DAY_MS = 86_400_000;

/**
 * Makes for each line of OpenTelemetry JS a user's project, with this package installed from its tarball and the programs
 * beside it, and a checkout for the process suite. They live in one temporary `folder` that the caller removes, as does the
 * tarball.
 */
export async function prepareFixtures() {
  mkdirSync(CACHE, { recursive: true });
  removeLeftovers();
  // Beside the cache: hard links do not leave a file system.
  const folder = mkdtempSync(join(CACHE, RUN));
  const tarball = await ready(() => pack(folder));
  const withPackage = (make) => (tarball.error === undefined ? ready(make) : tarball);
  const dist = join(stagedIn(folder), 'dist');
  const projects = {};
  const checkouts = {};
  for (const line of LINES) {
    projects[line] = await withPackage(() => project(line, folder, tarball.path));
    checkouts[line] = await withPackage(() => checkout(line, { folder, dist }));
  }
  return { folder, projects, checkouts, tarball };
}

/** Folders of runs that were killed. */
function removeLeftovers() {
  for (const name of readdirSync(CACHE)) {
    const place = join(CACHE, name);
    const age = name.startsWith(RUN) ? Date.now() - statSync(place).mtimeMs : 0;
    if (age > DAY_MS) rmSync(place, { recursive: true, force: true });
  }
}

const stagedIn = (folder) => join(folder, 'package');

/** Builds and packs in a folder of its own: what others have in dist/ meanwhile is left alone. */
async function pack(folder) {
  const staged = stagedIn(folder);
  mkdirSync(staged);
  await command('npx', ['tsdown', '--log-level', 'error', '--out-dir', join(staged, 'dist')], { cwd: ROOT });
  for (const name of readdirSync(ROOT)) {
    if (/^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(name)) cpSync(join(ROOT, name), join(staged, name));
  }
  await npm(['pack', '--ignore-scripts', staged, '--pack-destination', folder], folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  return join(folder, tarball);
}

async function project(line, folder, tarball) {
  const manifest = readFileSync(join(MATRIX, line, 'package.json'));
  const hash = createHash('sha256').update(manifest).digest('hex').slice(0, 16);
  const installed = await cachedFolder(`matrix-${line}-${hash}`, async (work) => {
    cpSync(join(MATRIX, line, 'package.json'), join(work, 'package.json'));
    await npm(['install'], work);
  });
  const place = join(folder, line);
  await command('cp', ['-al', installed, place]);
  await npm(['install', '--no-save', '--prefer-offline', tarball], place);
  cpSync(join(MATRIX, 'programs'), place, { recursive: true });
  return place;
}
