import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pythonCommand } from './python.ts';

const QUIET = { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' };

/** A server in a process of its own. */
export class Server {
  readonly #child: ChildProcess;
  readonly url: string;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** FastAPI; its spans go to a file. */
  static fastapi(spans: string): Promise<Server> {
    const { program, file, env } = pythonCommand('server.py');
    return Server.#start(program, [file], { ...env, SPANS: spans });
  }

  /** The server of a line of aiohttp. */
  static aiohttp(line: string): Promise<Server> {
    const { program, file, env } = pythonCommand('aiohttp_server.py', line);
    return Server.#start(program, [file], env);
  }

  /** Node with the built package; its spans go to a file. */
  static node(spans: string): Promise<Server> {
    const telemetry = './test/process/programs/orders/start.ts';
    const args = ['--import', 'tsx', '--import', telemetry, 'test/peers/programs/server.ts'];
    return Server.#start(process.execPath, args, { ...process.env, SPANS: spans });
  }

  static async #start(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Server> {
    const child = spawn(program, args, { env: { ...env, ...QUIET }, stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const line = once(createInterface({ input: child.stdout }), 'line');
    const [port] = await Promise.race([line, once(child, 'exit')]);
    if (!(Number(port) > 0)) throw new Error(`${program} ${args.join(' ')} did not start: ${said}`);
    return new Server(child, Number(port));
  }

  /** The address of a route of a rollout; `upstream` is what the server is to call there. */
  at(route: string, upstream?: string, by?: string): string {
    const query = new URLSearchParams();
    if (upstream !== undefined) query.set('upstream', upstream);
    if (by !== undefined) query.set('by', by);
    return `${this.url}/ng-rollout/r-1${route}${query.size === 0 ? '' : `?${query}`}`;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.stdin?.end();
    await exit;
  }
}

export function post(url: string): Promise<Response> {
  return fetch(url, { method: 'POST' });
}

/** The text of the JSON that a server answers. */
export async function jsonFrom(url: string): Promise<string> {
  const response = await post(url);
  if (response.status !== 200) throw new Error(`${response.status} from ${url}`);
  return response.text();
}
