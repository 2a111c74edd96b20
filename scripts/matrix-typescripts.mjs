import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, command, npm, ready } from './make-ready.mjs';

/** The newest release of each line that people compile with; raised on purpose. */
const VERSIONS = JSON.parse(readFileSync(new URL('../test/matrix/typescripts.json', import.meta.url), 'utf8'));

/** Gives the file of each compiler that Node runs, under its version. */
export async function prepareTypescripts() {
  const compilers = {};
  for (const version of VERSIONS) compilers[version] = await ready(() => compiler(version));
  return compilers;
}

async function compiler(version) {
  const folder = await cachedFolder(`typescript@${version}`, async (work) => {
    await npm(['install', '--prefix', work, '--ignore-scripts', `typescript@${version}`]);
  });
  const file = join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
  const found = (await command(process.execPath, [file, '--version'])).trim();
  if (found !== `Version ${version}`) throw new Error(`${file} is ${found}, not ${version}`);
  return file;
}
