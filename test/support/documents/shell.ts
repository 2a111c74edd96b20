import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { DocumentProject } from './project.ts';

/** What a command line said, and how it ended. */
export interface ShellSaid {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line to its end. */
export function shell({ folder, env }: DocumentProject, line: string): Promise<ShellSaid> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', line], { cwd: folder, env, timeout: 60_000 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err });
    });
  });
}

/** A command line that goes on. */
export interface Serving {
  readonly port: string;
  /** Ends it, and gives all that it said. */
  stop(): Promise<string>;
}

/** Runs a command line until it tells its port, as `:PORT` or `port PORT`. */
export async function serve({ folder, env }: DocumentProject, line: string, more: object = {}): Promise<Serving> {
  const child = spawn('sh', ['-c', `exec ${line}`], { cwd: folder, env: { ...env, ...more }, stdio: 'pipe' });
  const exit = once(child, 'exit');
  let said = '';
  const told = new Promise<string>((resolve, reject) => {
    const hear = (text: string): void => {
      said += text;
      const [, port] = /(?::|port )(\d{4,5})\n/.exec(said) ?? [];
      if (port !== undefined) resolve(port);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    void exit.then(() => reject(new Error(`${line} ended: ${said}`)));
  });
  return {
    port: await told,
    async stop() {
      // auto-instrumentations-node shuts its SDK down at SIGTERM, and stays.
      child.kill('SIGKILL');
      await exit;
      return said;
    },
  };
}
