// Runs the test suites of the frameworks' and OpenTelemetry's own packages twice, without and with `/register` loaded, and
// fails when a test ends differently. docs/foreign-suites.md says what each checkout must hold; nothing is fetched here.
// Usage: node scripts/foreign-suites.mjs --checkouts DIR [--only NAME,NAME] [--register FILE] [--pairs 3] [--keep DIR]
//   --failing gives each request that a suite serves a failure, so that each reply leaves with a report
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { compare, readResults, totalsOf } from '../test/foreign/results.mjs';
import { SUITES } from '../test/foreign/suites.mjs';

const LIMIT_MS = 15 * 60_000;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const REPORTER = here('../test/foreign/node-reporter.mjs');
const WATCH = here('../test/foreign/watch.mjs');

const { values } = parseArgs({
  options: {
    checkouts: { type: 'string' },
    only: { type: 'string' },
    register: { type: 'string', default: here('../dist/register.js') },
    pairs: { type: 'string', default: '3' },
    keep: { type: 'string' },
    failing: { type: 'boolean', default: false },
  },
});
if (values.checkouts === undefined) usage('--checkouts DIR is missing: the folder that holds the checkouts');
if (!existsSync(values.register)) usage(`${values.register} is not there: npm run build makes it`);
const wanted = values.only?.split(',') ?? SUITES.map(({ repository }) => repository);
const unknown = wanted.filter((name) => !SUITES.some(({ repository }) => repository === name));
if (unknown.length > 0) usage(`no suite named ${unknown.join(', ')}`);

const out = mkdtempSync(join(tmpdir(), 'foreign-suites-'));
const rows = [];
let bad = false;
for (const suite of SUITES.filter(({ repository }) => wanted.includes(repository))) {
  const row = await rowOf(suite);
  rows.push(row);
  for (const line of row.lines) console.log(line);
  bad ||= row.bad;
}
rmSync(out, { recursive: true, force: true });
printTable(rows);
process.exitCode = bad ? 1 : 0;

function usage(line) {
  console.error(`${line}\nSuites: ${SUITES.map(({ repository }) => repository).join(', ')}`);
  process.exit(2);
}

/** A line of the table, with the lines that explain it. */
async function rowOf(suite) {
  const folder = resolve(values.checkouts, suite.repository, suite.folder);
  const problem = whatIsMissing(suite, folder);
  if (problem !== undefined) {
    return { cells: [suite.repository, 'missing'], bad: true, lines: [`${suite.repository}: ${problem}`] };
  }
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const label = `${name} ${version}`;
  try {
    const { pairs, counts, differences, unsteady } = await runPairs(suite, folder, label);
    const [first] = pairs;
    const untouched = counts.hooked === 0;
    const lines = [
      ...failedBothWays(first).map((name) => `${label}: fails both ways: ${name}`),
      ...differences.map((line) => `${label}: DIFFERS: ${line}`),
      ...unsteady.map((line) => `${label}: unsteady: ${line}`),
      ...(untouched ? [`${label}: no reply of this suite stood under our hook, so that it proves nothing`] : []),
    ];
    const cells = [name, version, shownTotals(first.without), shownTotals(first.withOurs)];
    cells.push(`${counts.hooked} of ${counts.served}`, String(differences.length), String(unsteady.length));
    return { cells, bad: differences.length > 0 || untouched, lines };
  } catch (error) {
    return { cells: [name, version, 'broken'], bad: true, lines: [`${label}: ${error.message}`] };
  }
}

/** Not ours to mend, but good to know beside the totals. */
function failedBothWays({ without, withOurs }) {
  const failed = [...without.tests].filter(([, outcome]) => outcome === 'failed').map(([name]) => name);
  return failed.filter((name) => withOurs.tests.get(name) === 'failed');
}

function whatIsMissing({ repository, runs }, folder) {
  if (!existsSync(join(folder, 'package.json'))) {
    return `there is no checkout at ${folder}; put one of ${repository} into ${resolve(values.checkouts, repository)}`;
  }
  const program = runs.map(({ command }) => command[0]).find((name) => name !== undefined && !programAt(folder, name));
  if (program !== undefined)
    return `${program} is not installed in ${folder}: install the package's dependencies there`;
  return undefined;
}

/** In a monorepo the programs are perhaps further up. */
function programAt(folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, 'node_modules', '.bin', name);
    if (existsSync(path)) return path;
    if (at === dirname(at)) return undefined;
  }
}

/** One pair of runs; more when they differ, to tell a difference from an unsteady test. */
async function runPairs(suite, folder, label) {
  const pairs = [];
  const counts = { served: 0, hooked: 0 };
  for (;;) {
    const without = await runSuite(suite, folder, `${label}, without`);
    const withOurs = await runSuite(suite, folder, `${label}, with`, pairs.length === 0 ? counts : {});
    pairs.push({ without, withOurs });
    const compared = compare(
      pairs.map((pair) => new Map([...pair.without.tests, ...pair.without.exits])),
      pairs.map((pair) => new Map([...pair.withOurs.tests, ...pair.withOurs.exits])),
    );
    if (compared.differences.length === 0 || pairs.length >= Number(values.pairs)) {
      return { pairs, counts, ...compared };
    }
  }
}

/** Runs all of a suite's commands once; with our package loaded when there are `counts` to add to. */
async function runSuite(suite, folder, label, counts) {
  const tests = new Map();
  const exits = new Map();
  for (const run of suite.runs) {
    const stem = `${label} ${run.name}`.replaceAll(/[^\w.]+/g, '-').replace(/^-/, '');
    const file = join(out, `${stem}.json`);
    const countsFile = join(out, `${stem}.counts`);
    rmSync(file, { force: true });
    writeFileSync(countsFile, '');
    const { code, text } = await execute(run, folder, file, counts && countsFile);
    if (values.keep !== undefined) keepText(`${stem}.txt`, text);
    if (!existsSync(file))
      throw new Error(`${label}: ${run.name} left no results (exit ${code}):\n${text.slice(-2000)}`);
    for (const [name, outcome] of readResults(run.format, file, folder)) tests.set(`${run.name}: ${name}`, outcome);
    exits.set(`${run.name}: the runner's exit`, code);
    for (const line of readFileSync(countsFile, 'utf8').split('\n').filter(Boolean)) {
      const { served, hooked } = JSON.parse(line);
      counts.served += served;
      counts.hooked += hooked;
    }
  }
  const result = { tests, exits };
  console.error(`${label}: ${shownTotals(result)}`);
  return result;
}

function execute({ nodeFlags = [], command }, folder, file, countsFile) {
  const filled = (word) =>
    word
      .replace('$RELATIVE_REPORTER', relative(folder, REPORTER))
      .replace('$REPORTER', pathToFileURL(REPORTER).href)
      .replace('$OUT', file);
  const [program, ...args] = command;
  const words = [...nodeFlags, ...(program === undefined ? [] : [programAt(folder, program)]), ...args].map(filled);
  const env = { ...process.env, NODE_OPTIONS: '' };
  if (countsFile !== undefined) {
    env.NODE_OPTIONS = [values.register, WATCH]
      .map((path) => `--import ${pathToFileURL(resolve(path)).href}`)
      .join(' ');
    env.FOREIGN_SUITES_COUNTS = countsFile;
    if (values.failing) env.FOREIGN_SUITES_FAILING = new URL('index.js', pathToFileURL(resolve(values.register))).href;
  }
  return new Promise((done) => {
    const child = spawn(process.execPath, words, {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), LIMIT_MS);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (data) => (text += data));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      done({ code: String(code ?? signal), text });
    });
  });
}

function keepText(name, text) {
  mkdirSync(values.keep, { recursive: true });
  writeFileSync(join(values.keep, name), text);
}

function shownTotals({ tests }) {
  const { passed, failed, skipped } = totalsOf(tests);
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function printTable(lines) {
  const head = ['package', 'version', 'without', 'with', 'replies under our hook', 'differences', 'unsteady'];
  console.log(`| ${head.join(' | ')} |\n|${head.map(() => ' --- |').join('')}`);
  for (const { cells } of lines)
    console.log(`| ${[...cells, ...head.slice(cells.length).map(() => '')].join(' | ')} |`);
}
