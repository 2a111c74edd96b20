import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cachedFolder, command, npm, ready } from './make-ready.mjs';

/** The exact version of each major, so that a run does not depend on the day; raised on purpose. */
const VERSIONS = JSON.parse(readFileSync(new URL('../test/matrix/nodes.json', import.meta.url), 'utf8'));

/** Gives the binary of each Node, under its major version. */
export async function prepareNodes() {
  const nodes = {};
  for (const major of Object.keys(VERSIONS)) nodes[major] = await ready(() => nodeBinary(major));
  return nodes;
}

/** The binary of a major version, fetched from npm where the cache does not have it. */
export async function nodeBinary(major) {
  const version = VERSIONS[major];
  if (version === undefined) throw new Error(`Node ${major} is none of ${Object.keys(VERSIONS).join(', ')}`);
  if (process.versions.node === version) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const folder = await cachedFolder(`${name}@${version}`, async (work) => {
    await npm(['install', '--prefix', work, '--ignore-scripts', `${name}@${version}`]);
  });
  const binary = join(folder, 'node_modules', name, 'bin', 'node');
  const found = (await command(binary, ['--version'])).trim();
  if (found !== `v${version}`) throw new Error(`${binary} is ${found}, not v${version}`);
  return binary;
}
