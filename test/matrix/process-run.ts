import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import type { Platform } from './cells.ts';
import { checkoutOf, nodeOf } from './plan.ts';

/** A test file's results, as vitest writes them. */
export interface FileResults {
  /** Its path in the checkout. */
  readonly file: string;
  readonly isPassed: boolean;
  readonly tests: readonly TestResult[];
}

/** What came of a test. */
export interface TestResult {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
}

/** What came of a run of vitest. */
export interface ProcessRun {
  readonly files: readonly FileResults[];
  readonly code: number | null;
  /** The end of what it said. */
  readonly said: string;
}

interface Written {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

const LIMIT_MS = 15 * 60_000;
const SAID_CHARS = 4000;

/** Runs files of the process suite, and all that they start, by another Node with a line of OpenTelemetry JS. */
export async function runProcessFiles({ node, line }: Platform, files: readonly string[]): Promise<ProcessRun> {
  const checkout = checkoutOf(line);
  const folder = mkdtempSync(join(tmpdir(), 'matrix-process-'));
  const results = join(folder, 'results.json');
  // The matrix itself runs two files at a time.
  const options = ['--project', 'process', '--maxWorkers', '1', '--reporter', 'default', '--reporter', 'json'];
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files, ...options, `--outputFile.json=${results}`];
  try {
    const child = spawn(nodeOf(node), args, {
      cwd: checkout,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
    });
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    const said = stripVTControlCharacters(out + err).slice(-SAID_CHARS);
    return { files: existsSync(results) ? read(results, checkout) : [], code, said };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function read(results: string, checkout: string): FileResults[] {
  const { testResults }: Written = JSON.parse(readFileSync(results, 'utf8'));
  return testResults.map(({ name, status, assertionResults }) => ({
    file: relative(checkout, name),
    isPassed: status === 'passed',
    tests: assertionResults,
  }));
}

/** Without what this run of vitest and its caller say to their own children. */
function environment(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(OTEL_|NODE_OPTIONS$|NODE_ENV$|VITEST|MATRIX_PLAN$)/.test(name),
  );
  // tsx, by which the programs of the tests run, makes Node 26 warn; the package runs without it in the other suites.
  return { ...Object.fromEntries(others), NODE_OPTIONS: '--disable-warning=DEP0205' };
}
