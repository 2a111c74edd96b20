// Reads what the reporters wrote: a Map from a test's name to its outcome.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const OUTCOMES = { passed: 'passed', failed: 'failed', skipped: 'skipped', pending: 'skipped', todo: 'skipped' };

/** Some tests are named by the moment at which they were made. */
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

const READERS = {
  /** mocha's `json`. */
  *mocha(text) {
    const { passes, failures, pending } = JSON.parse(text);
    for (const [outcome, tests] of Object.entries({ passed: passes, skipped: pending, failed: failures })) {
      for (const { file = '', fullTitle } of tests) yield { file, title: fullTitle, outcome };
    }
  },
  /** vitest's `json`. */
  *vitest(text) {
    for (const { name, status, assertionResults } of JSON.parse(text).testResults) {
      // A file that does not load has no tests of its own to count.
      if (assertionResults.length === 0 && status === 'failed')
        yield { file: name, title: '(file)', outcome: 'failed' };
      for (const { fullName, status: outcome } of assertionResults) yield { file: name, title: fullName, outcome };
    }
  },
  /** node-reporter.mjs. */
  *node(text) {
    for (const line of text.split('\n')) if (line !== '') yield JSON.parse(line);
  },
};

/**
 * Reads one run's results. Tests of the same name are numbered in their order.
 *
 * @throws when the runner left no result: it broke before its tests
 */
export function readResults(format, file, folder) {
  const results = new Map();
  for (const test of READERS[format](readFileSync(file, 'utf8'))) {
    const name = `${relative(folder, test.file)}: ${test.title.replaceAll(TIME, 'TIME')}`;
    let key = name;
    for (let n = 2; results.has(key); n += 1) key = `${name} (${n})`;
    results.set(key, OUTCOMES[test.outcome] ?? test.outcome);
  }
  return results;
}

/** How many passed, failed and were skipped. */
export function totalsOf(results) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const outcome of results.values()) totals[outcome] += 1;
  return totals;
}

/**
 * Compares the runs `without` and `withOurs` (lists of Maps): a test differs when no run of the one ends as any run of
 * the other; one that ended differently in a pair without that is unsteady.
 */
export function compare(without, withOurs) {
  const differences = [];
  const unsteady = [];
  for (const name of new Set([...without, ...withOurs].flatMap((results) => [...results.keys()]))) {
    const before = without.map((results) => results.get(name) ?? 'not run');
    const after = withOurs.map((results) => results.get(name) ?? 'not run');
    if (new Set([...before, ...after]).size === 1) continue;
    const line = `${name}: without ${before.join(', ')}; with ${after.join(', ')}`;
    (after.some((outcome) => before.includes(outcome)) ? unsteady : differences).push(line);
  }
  return { differences, unsteady };
}
