// Adds up vitest's JSON results and prints the one line that tells a run's real totals.
// Usage: node scripts/ci-totals.mjs FAILED_STEPS RESULTS.json…   Exit code 1 when anything failed or nothing ran.
import { readFileSync } from 'node:fs';

const [failedSteps = '0', ...files] = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const file of files) {
  const result = JSON.parse(readFileSync(file, 'utf8'));
  passed += result.numPassedTests;
  failed += result.numFailedTests;
  // A file that does not load has no tests of its own to count.
  for (const suite of result.testResults) {
    if (suite.status === 'failed' && suite.assertionResults.length === 0) failed += 1;
  }
}
const broken = Number(failedSteps);
if (broken > 0 && failed === 0) failed = broken;
console.log(`Tests: ${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
