import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { FailureReportRecord } from '../../../src/records/failure-report.ts';

type Ready = { readonly path: string } | { readonly error: string };

interface Plan {
  readonly python: Ready;
  readonly aiohttp: Readonly<Record<string, Ready>>;
}

/** A span, whichever language ended it. */
export interface SpanLine {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly events?: readonly { readonly attributes: Readonly<Record<string, unknown>> }[];
}

/** What test/peers/python/client.py prints. */
export interface PythonCall {
  readonly aiohttp: string;
  readonly status: number;
  readonly body: unknown;
  /** Each header's text. */
  readonly values: readonly string[];
  readonly header: FailureReportRecord | null;
  readonly streamed: FailureReportRecord | null;
  /** The report of the row that the reply's body is. */
  readonly saved: FailureReportRecord | null;
  /** The row that Python would save. */
  readonly row: Readonly<Record<string, unknown>>;
}

const PYTHON = 'test/peers/python/';
const run = promisify(execFile);
const QUIET = { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' };

function plan(): Plan {
  const given = process.env.PYTHON_PEERS;
  if (given === undefined) throw new Error('PYTHON_PEERS is not set: run this suite with `npm run test:peers`');
  return JSON.parse(given);
}

function pathOf(ready: Ready | undefined, name: string): string {
  if (ready === undefined || !('path' in ready)) throw new Error(`${name} is not there: ${ready?.error}`);
  return ready.path;
}

/** Calls `url` by aiohttp: the newest, or an older line's. */
export async function callByPython(url: string, options: { line?: string; spans?: string } = {}): Promise<PythonCall> {
  const { line, spans } = options;
  const older = line === undefined ? {} : { PYTHONPATH: pathOf(plan().aiohttp[line], `aiohttp ${line}`) };
  const env = { ...process.env, ...older, ...(spans === undefined ? {} : { SPANS: spans }) };
  const { stdout } = await run(pathOf(plan().python, 'Python'), [`${PYTHON}client.py`, url], { env });
  return JSON.parse(stdout);
}

/** A server in a process of its own. */
export class Peer {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
  }

  static python(spans: string): Promise<Peer> {
    return Peer.#start(pathOf(plan().python, 'Python'), [`${PYTHON}server.py`], spans);
  }

  static node(spans: string): Promise<Peer> {
    const telemetry = './test/process/programs/orders/start.ts';
    const args = ['--import', 'tsx', '--import', telemetry, 'test/peers/programs/server.ts'];
    return Peer.#start(process.execPath, args, spans);
  }

  static async #start(program: string, args: readonly string[], spans: string): Promise<Peer> {
    const child = spawn(program, args, {
      env: { ...process.env, ...QUIET, SPANS: spans },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const line = once(createInterface({ input: child.stdout }), 'line');
    const [port] = await Promise.race([line, once(child, 'exit')]);
    if (!(Number(port) > 0)) throw new Error(`${program} ${args.join(' ')} did not start: ${said}`);
    return new Peer(child, Number(port));
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exit;
  }
}

export function spansIn(file: string): SpanLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line): SpanLine => JSON.parse(line));
}
