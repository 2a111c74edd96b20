import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Case } from './case.ts';
import { CASES } from './cases.ts';
import type { Cell } from './cells.ts';
import { http2Reply, Wire } from './exchange.ts';
import { fixtureOf, nodeOf } from './plan.ts';

/** A server span, with the ids of all failure events that its trace shows. */
export interface ServerSpan {
  readonly path?: string;
  readonly isError: boolean;
  readonly failureId?: string;
  readonly count?: number;
  readonly shown: readonly string[];
}

/** What came of a cell. */
export interface CellResults {
  /** Each case's bytes, or why it has none. */
  readonly replies: ReadonlyMap<string, string | Error>;
  /** Reports that no header carries. */
  readonly noted: Readonly<Record<string, string>>;
  readonly spans: readonly ServerSpan[];
  readonly stderr: string;
}

type Ports = Readonly<Record<Case['server'], number>>;

/** Callers at the same time: logs must be kept apart, and a cell is done sooner. */
const CALLERS = 6;
const MESSAGE_PATIENCE_MS = 30_000;

/** Starts a cell's server, asks it all cases, and ends it. */
export async function runCell(cell: Cell): Promise<CellResults> {
  const child = startServer(cell);
  const stderr = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  try {
    const asked = askServer(child, cell);
    const results = await Promise.race([asked, endOf(child)]);
    if (results === undefined) throw new Error(`the server ended: ${await stderr}`);
    return { ...results, stderr: await stderr };
  } finally {
    child.kill('SIGKILL');
  }
}

async function endOf(child: ChildProcess): Promise<undefined> {
  await once(child, 'exit');
  // What it said before it ended is heard first.
  await delay(100);
}

async function askServer(child: ChildProcess, cell: Cell): Promise<Omit<CellResults, 'stderr'>> {
  const { ports } = await hear<{ ports: Ports }>(child);
  const early = await openEarly(ports);
  if (cell.start === 'after') await ask(child, 'start');
  const replies = await askAll(ports, early);
  const { noted, spans } = await ask<Pick<CellResults, 'noted' | 'spans'>>(child, 'finish');
  return { replies, noted, spans };
}

function startServer(cell: Cell): ChildProcess {
  const extension = cell.modules === 'ESM' ? 'mjs' : 'cjs';
  const flag = cell.modules === 'ESM' ? '--import' : '--require';
  const preload = cell.start === 'before' ? [flag, `./telemetry.${extension}`] : [];
  return spawn(nodeOf(cell.node), [...preload, `main.${extension}`], {
    cwd: fixtureOf(cell.line),
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    env: environmentOf(cell),
  });
}

function environmentOf({ package: withPackage, sdk, order }: Cell): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !/^(OTEL_|NODE_OPTIONS|VITEST)/.test(name));
  return {
    ...Object.fromEntries(others),
    NODE_ENV: 'production',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    ...(sdk === 'off' && { OTEL_SDK_DISABLED: 'true' }),
    ...(sdk === 'unsampled' && { OTEL_TRACES_SAMPLER: 'always_off' }),
    MATRIX_CELL: JSON.stringify({ package: withPackage, sdk, order }),
  };
}

async function ask<Answer>(child: ChildProcess, message: string): Promise<Answer> {
  const answer = hear<Answer>(child);
  if (child.connected) child.send(message);
  return await answer;
}

/** The next message from the server; the programs in programs/ say what it holds. */
async function hear<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message', { signal: AbortSignal.timeout(MESSAGE_PATIENCE_MS) });
  return message;
}

/** Connections that are opened before telemetry starts. */
async function openEarly(ports: Ports): Promise<ReadonlyMap<Case, Wire>> {
  const wires = new Map<Case, Wire>();
  for (const of of CASES) {
    if (of.early === undefined) continue;
    const wire = new Wire(ports[of.server], false);
    await wire.take(of.early);
    wires.set(of, wire);
  }
  return wires;
}

async function askAll(ports: Ports, early: ReadonlyMap<Case, Wire>): Promise<ReadonlyMap<string, string | Error>> {
  const replies = new Map<string, string | Error>();
  const waiting = [...CASES];
  const caller = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name } = next;
      const bytes = askOne(next, ports[next.server], early.get(next));
      replies.set(name, await bytes.catch((error) => (error instanceof Error ? error : new Error(String(error)))));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return replies;
}

async function askOne(of: Case, port: number, open: Wire | undefined): Promise<string> {
  const heard: string[] = [];
  for (const steps of of.exchanges) {
    if (of.server === 'http2') {
      heard.push(await http2Reply(port, String(steps[0])));
      continue;
    }
    const wire = open ?? new Wire(port, of.server === 'tls');
    await wire.take(steps);
    heard.push(await wire.end());
  }
  return heard.join('\n--\n');
}
