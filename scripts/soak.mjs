// Tries everything for long: each property a million times, 200,000 requests against a real server, and 100,000 with
// faults; docs/soak.md says what that measures. Fails when anything is off, and ends with one line that says so. Needs the
// built package.
// Usage: npm run test:soak [-- --requests N --property-runs N --only properties|requests|faults]
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    'property-runs': { type: 'string', default: '1000000' },
    only: { type: 'string' },
  },
});
const parts = { properties, requests, faults };
const propertyRuns = values['property-runs'];
if (values.only !== undefined && !Object.hasOwn(parts, values.only)) {
  fail(`--only is "${values.only}": give one of ${Object.keys(parts).join(', ')}`);
}
if (!/^[1-9]\d*$/.test(propertyRuns)) fail(`--property-runs is "${propertyRuns}": give a positive integer`);

function fail(message) {
  console.error(message);
  process.exit(2);
}

/** Test files of the unit project that try properties as often as they are told to. */
function propertySuites() {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => readFileSync(join(ROOT, 'test', path), 'utf8').includes('support/runs.ts'))
    .map((path) => join('test', path))
    .sort();
}

function properties() {
  const suites = propertySuites();
  console.log(`soak: ${propertyRuns} runs of the properties in ${suites.length} suites`);
  return run('npx', ['vitest', 'run', '--project', 'unit', ...suites], { PROPERTY_RUNS: propertyRuns });
}

function requests() {
  return played('test/soak/main.ts', values.requests ?? '200000');
}

function faults() {
  return played('test/soak/faults/main.ts', values.requests ?? '100000');
}

function played(program, count) {
  return run(process.execPath, ['--import', 'tsx', program, '--requests', count]);
}

function run(command, args, env = {}) {
  return spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}

const names = Object.keys(parts).filter((name) => values.only === undefined || values.only === name);
const off = names.filter((name) => !parts[name]());
console.log(off.length === 0 ? 'soak: ok' : `soak: ${off.join(' and ')} off`);
process.exitCode = off.length === 0 ? 0 : 1;
