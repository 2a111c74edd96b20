import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Platform } from './cells.ts';
import { checkoutOf } from './plan.ts';
import { processFiles } from './process-files.ts';
import { type FileResults, type ProcessRun, runProcessFiles, type TestResult } from './process-run.ts';

/** Major versions of packages whose versions say which line they are of. */
const MAJORS = {
  otel2: { '@opentelemetry/core': '2', '@opentelemetry/sdk-trace': '2' },
  otel3: { '@opentelemetry/core': '3', '@opentelemetry/sdk-trace': '3' },
};

/**
 * Runs the process suite by another Node and with a line of OpenTelemetry JS, and gives each of its tests as one of its
 * own. It runs while the tests are collected: before it has, nobody knows which there are.
 */
export async function processSuite(platform: Platform): Promise<void> {
  const files = processFiles(platform);
  const run = await runProcessFiles(platform, files);

  it(`has OpenTelemetry ${platform.line === 'otel2' ? '2.x' : '3.x'} installed`, () => {
    const majors = Object.keys(MAJORS[platform.line]).map((name) => [name, majorOf(platform, name)]);
    expect(Object.fromEntries(majors)).toEqual(MAJORS[platform.line]);
  });

  for (const file of files) describe(file, () => fileSuite(file, run));

  it('ends with 0', () => {
    if (run.code !== 0) throw new Error(`it ended with ${run.code}: ${run.said}`);
  });
}

function fileSuite(file: string, run: ProcessRun): void {
  const results = run.files.find((candidate) => candidate.file === file);
  // A file that did not load, or that failed in a hook, counts as a failed test.
  if (results === undefined || isBroken(results)) {
    it('runs', () => {
      throw new Error(`it did not run: ${run.said}`);
    });
  }
  for (const test of results?.tests ?? []) it([...test.ancestorTitles, test.title].join(' > '), () => repeat(test));
}

function isBroken({ isPassed, tests }: FileResults): boolean {
  return tests.length === 0 || (!isPassed && tests.every(({ status }) => status === 'passed'));
}

/** Passes or fails as the test did. One that was skipped has not passed. */
function repeat({ status, failureMessages = [] }: TestResult): void {
  if (status === 'passed') return;
  const error = new Error(failureMessages.join('\n') || `it ${status === 'failed' ? 'failed' : 'was not run'}`);
  // Where it failed is told in the message.
  error.stack = String(error);
  throw error;
}

function majorOf({ line }: Platform, name: string): string {
  const { version } = JSON.parse(readFileSync(join(checkoutOf(line), 'node_modules', name, 'package.json'), 'utf8'));
  return String(version).split('.')[0] ?? '';
}
