import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const START_MS = 20_000;
const STOP_MS = 5_000;

export interface ChildOptions {
  /** File beside this one, e.g. `agent.ts`. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly onMessage?: (message: unknown) => void;
}

/** The processes of a batch: each has its own service name and telemetry, and none is left behind. */
export class Fleet {
  readonly #children = new Map<string, ChildProcess>();
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
    // The last resort, for a crash of this process that no `finally` sees.
    process.once('exit', () => this.#kill());
  }

  /** Starts a process and gives it back at once. */
  run(name: string, { file, args = [], env = {}, onMessage }: ChildOptions): ChildProcess {
    const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
      execArgv: ['--import', 'tsx', '--import', new URL('telemetry.ts', import.meta.url).href],
      env: { ...this.#env, ...env, OTEL_SERVICE_NAME: name },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      // What a child says goes to stderr, so that it never mixes with the output of the batch.
      if (stream !== null) createInterface(stream).on('line', (line) => console.error(`[${name}] ${line}`));
    }
    if (onMessage !== undefined) child.on('message', onMessage);
    this.#children.set(name, child);
    return child;
  }

  /**
   * Starts a server and gives back its address once it listens.
   *
   * @throws Error when it ends or says nothing within 20 seconds
   */
  async serve(name: string, options: ChildOptions): Promise<string> {
    const child = this.run(name, options);
    const signal = AbortSignal.timeout(START_MS);
    const started = once(child, 'message', { signal }).then(([message]: unknown[]) => portOf(message));
    const ended = once(child, 'exit', { signal }).then(([code, by]) => {
      throw new Error(`it ended at once (${by ?? `exit code ${code}`}); what it said is above`);
    });
    try {
      return `http://127.0.0.1:${await Promise.race([started, ended])}`;
    } catch (error) {
      const why = signal.aborted ? `it did not listen within ${START_MS / 1000} s` : messageOf(error);
      throw new Error(`Cannot start the ${name}: ${why}`, { cause: error });
    } finally {
      started.catch(() => {});
      ended.catch(() => {});
    }
  }

  /**
   * Ends every process that still runs, callers before the servers they call, each with time to export its spans. Gives
   * back the names of those that did not end by themselves.
   */
  async stop(): Promise<string[]> {
    const stubborn: string[] = [];
    for (const [name, child] of [...this.#children].reverse()) {
      if (!(await ended(child))) stubborn.push(name);
    }
    return stubborn;
  }

  #kill(): void {
    for (const child of this.#children.values()) child.kill('SIGKILL');
  }
}

async function ended(child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode === 0;
  const exit = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
  child.kill('SIGTERM');
  try {
    const [code] = await exit;
    return code === 0;
  } catch {
    child.kill('SIGKILL');
    return false;
  }
}

function portOf(message: unknown): number {
  if (typeof message === 'object' && message !== null && 'port' in message && typeof message.port === 'number') {
    return message.port;
  }
  throw new Error('its first message named no port');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
