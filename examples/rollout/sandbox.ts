import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** How a command in the sandbox ended. */
export interface SandboxExit {
  readonly output: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The commands that this sandbox knows, as programs for a Node of their own. */
const COMMANDS: Readonly<Record<string, string>> = {
  multiply: 'console.log(6 * 7)',
  // As the kernel ends a process that outgrows its memory: no exit code, no word.
  allocate: 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)',
};

/** Runs a command in a child process with an empty environment. */
export async function runInSandbox(command: string): Promise<SandboxExit> {
  const program = COMMANDS[command];
  if (program === undefined) return { output: `${command}: command not found`, exitCode: 127, signal: null };
  const child = spawn(process.execPath, ['-e', program], { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const output = await text(child.stdout);
  await ended;
  return { output, exitCode: child.exitCode, signal: child.signalCode };
}
