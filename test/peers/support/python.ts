import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FailureReportRecord } from 'opentelemetry-instrumentation-nemo-gym';

type Ready = { readonly path: string } | { readonly error: string };

/** What scripts/peers-python.mjs made ready. */
interface Plan {
  readonly python: Ready;
  readonly aiohttp: Readonly<Record<string, Ready>>;
}

/** The lines of aiohttp; the newest is the environment's own. */
export const LINES = ['3.9', '3.11', '3.14'] as const;
export const NEWEST = '3.14';

/** What one call of test/peers/python/client.py came to. */
export interface PythonCall {
  readonly trace: string;
  /** The error, when aiohttp gave no reply; then nothing below is there. */
  readonly refused?: string;
  readonly status: number;
  readonly body: unknown;
  /** Each header's text. */
  readonly values: readonly string[];
  readonly header: FailureReportRecord | null;
  readonly streamed: FailureReportRecord | null;
  /** The report of the row that the reply's body is. */
  readonly saved: FailureReportRecord | null;
  /** The row that Python would save of the reply. */
  readonly row: Readonly<Record<string, unknown>>;
}

interface PythonCalls {
  readonly aiohttp: string;
  readonly parser: string;
  readonly calls: readonly PythonCall[];
}

/** How Python calls: by which line of aiohttp, with its parser in C or the one in Python, its spans to which file. */
export interface CallOptions {
  readonly line?: string;
  readonly parser?: 'C' | 'Python';
  readonly spans?: string;
  /** Python's own names, such as `always_off`. */
  readonly sampler?: string;
}

/** What is asked of test/peers/python/judge.py. */
export interface Question {
  readonly what: 'header' | 'stream' | 'saved' | 'report' | 'episode';
  readonly about: unknown;
  /** By models that forbid each key they do not know; otherwise by those that keep to docs/wire.md. */
  readonly strict: boolean;
}

const MAX_OUTPUT_BYTES = 1 << 28;
const run = promisify(execFile);

function plan(): Plan {
  const given = process.env.PYTHON_PEERS;
  if (given === undefined) throw new Error('PYTHON_PEERS is not set: run this suite with `npm run test:peers`');
  return JSON.parse(given);
}

function pathOf(ready: Ready | undefined, name: string): string {
  if (ready === undefined || !('path' in ready)) throw new Error(`${name} is not there: ${ready?.error}`);
  return ready.path;
}

/** The program, the file of a script of ours, and the environment in which it meets a line of aiohttp. */
export function pythonCommand(script: string, line: string = NEWEST) {
  const older = line === NEWEST ? {} : { PYTHONPATH: pathOf(plan().aiohttp[line], `aiohttp ${line}`) };
  const env: NodeJS.ProcessEnv = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...older };
  return { program: pathOf(plan().python, 'Python'), file: `test/peers/python/${script}`, env };
}

/** POSTs to each of `urls` by aiohttp. */
export async function callByPython(
  urls: readonly string[],
  { line = NEWEST, parser = 'C', spans, sampler }: CallOptions = {},
): Promise<readonly PythonCall[]> {
  const { program, file, env } = pythonCommand('client.py', line);
  if (spans !== undefined) env.SPANS = spans;
  if (sampler !== undefined) env.OTEL_TRACES_SAMPLER = sampler;
  if (parser === 'Python') env.AIOHTTP_NO_EXTENSIONS = '1';
  const { stdout } = await run(program, [file, ...urls], { env, maxBuffer: MAX_OUTPUT_BYTES });
  const result: PythonCalls = JSON.parse(stdout);
  if (!result.aiohttp.startsWith(`${line}.`) || result.parser !== parser) {
    throw new Error(`aiohttp ${line}, parser in ${parser}, was asked for: it is ${result.aiohttp}, ${result.parser}`);
  }
  return result.calls;
}

/** Python's answers, each as JSON data. */
export async function askPython(questions: readonly Question[]): Promise<readonly unknown[]> {
  const { program, file, env } = pythonCommand('judge.py');
  const running = run(program, [file], { env, maxBuffer: MAX_OUTPUT_BYTES });
  running.child.stdin?.end(JSON.stringify(questions));
  const answers: unknown = JSON.parse((await running).stdout);
  if (Array.isArray(answers) && answers.length === questions.length) return answers;
  throw new Error('not one answer for each question');
}
