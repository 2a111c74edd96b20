// Runs the benches one after the other, each in a process of its own, and fails when one of them does.
// Usage: npm run bench [-- codec stream-reader server command]
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const folder = new URL('../bench/', import.meta.url);
const all = readdirSync(folder)
  .filter((name) => name.endsWith('.bench.ts'))
  .map((name) => name.slice(0, -'.bench.ts'.length));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`No bench named ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(2);
}

const failed = (wanted.length > 0 ? wanted : all).filter((name) => {
  console.log(`\n== ${name}`);
  const file = new URL(`${name}.bench.ts`, folder).pathname;
  return spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', file], { stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) console.error(`\nOver budget or broken: ${failed.join(', ')}`);
process.exitCode = failed.length > 0 ? 1 : 0;
