import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const REGISTER = 'opentelemetry-instrumentation-nemo-gym/register';

/** An example that serves. */
export interface ExampleServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
}

type Variables = Readonly<Record<string, string>>;

/** Node's arguments, as examples/README.md gives them. */
function argumentsOf(file: string, args: readonly string[]): string[] {
  const loader = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
  return [...loader, '--import', REGISTER, `examples/${file}`, ...args];
}

/** Starts a server of `examples/` on a free port, with the telemetry of one line. */
export async function startExample(file: string, env: Variables = {}): Promise<ExampleServer> {
  const child = spawn(process.execPath, argumentsOf(file, []), {
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  const said = text(child.stderr);
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exit]);
  if (!String(line).startsWith('http://')) throw new Error(`${file} did not start: ${await said}`);
  return {
    url: String(line),
    async [Symbol.asyncDispose]() {
      child.kill();
      await exit;
    },
  };
}

/** What a program said until it ended. */
export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program of `examples/` to its end. */
export function runExample(file: string, args: readonly string[], env: Variables = {}): Promise<Said> {
  return run(argumentsOf(file, args), env);
}

/** Runs the built command to its end. */
export function runCommand(...args: readonly string[]): Promise<Said> {
  return run(['dist/ng-failures.js', ...args], {});
}

async function run(args: readonly string[], env: Variables): Promise<Said> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, out, err };
}
