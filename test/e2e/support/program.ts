import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const START_MS = 30_000;

/** A program with addresses of its own; it may be stopped and started again at the same ones. */
export class Program {
  readonly #command: readonly [string, ...string[]];
  readonly #env: Readonly<Record<string, string>>;
  readonly #healthUrl: string;
  #child: ChildProcess | undefined;
  /** What it said on stderr, the last of it. */
  said = '';

  constructor({
    command,
    env,
    healthUrl,
  }: { command: [string, ...string[]]; env: Record<string, string>; healthUrl: string }) {
    this.#command = command;
    this.#env = env;
    this.#healthUrl = healthUrl;
  }

  /**
   * Starts it and waits until it says that it is well.
   *
   * @throws Error with what it said when it ends, or is not well within 30 seconds
   */
  async start(): Promise<void> {
    const [file, ...args] = this.#command;
    const child = spawn(file, args, { env: { ...process.env, ...this.#env }, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.said = (this.said + text).slice(-100_000);
    });
    const deadline = performance.now() + START_MS;
    while (!(await isWell(this.#healthUrl))) {
      if (child.exitCode !== null || performance.now() > deadline) {
        throw new Error(`${file} is not well (exit code ${child.exitCode}): ${this.said.slice(-2_000)}`);
      }
      await delay(100);
    }
  }

  /** Ends it: with `SIGTERM` it finishes what it has in hand, with `SIGKILL` it does not. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }
}

async function isWell(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  return response?.ok === true;
}

/** Ports on which nobody listens now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
