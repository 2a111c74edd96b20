import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { FailureHeader } from '../../src/transport/header.ts';
import { type ReceivedSpan, receiveOtlp } from './otlp-receiver.ts';

const FOLDER = './test/process/programs/register';
const REGISTER = 'opentelemetry-instrumentation-nemo-gym/register';
const AUTO = '@opentelemetry/auto-instrumentations-node/register';
const LOADER = ['--experimental-loader=@opentelemetry/instrumentation/hook.mjs'];
// OpenTelemetry's loader brings warnings, in the one way of loading it or in the other.
const QUIET = ['--disable-warning=ExperimentalWarning', '--disable-warning=DEP0205'];

/** Who stands beside `/register` on the command line, and in which order. */
export type Beside = 'alone' | 'auto first' | 'auto second' | 'own SDK first' | 'own SDK second';

/** One way of starting an app. */
export interface Start {
  readonly app: 'plain.mjs' | 'plain.cjs' | 'express.mjs' | 'express.cjs';
  readonly by: '--import' | '--require';
  readonly beside: Beside;
  readonly env?: Readonly<Record<string, string>>;
  /** What to load in place of this package's own `/register`. */
  readonly register?: string;
}

/** One reply. */
export interface Answer {
  readonly status: number;
  /** The ids that each of its report headers holds. */
  readonly reports: readonly (readonly string[])[];
  /** Read as JSON. */
  readonly body: unknown;
}

/** What two processes, of which one calls the other, came to. */
export interface RegisterRun {
  readonly late: Answer;
  readonly afterwards: Answer;
  readonly call: Answer;
  readonly spans: readonly ReceivedSpan[];
  readonly metrics: ReadonlySet<string>;
  readonly logs: readonly Readonly<Record<string, unknown>>[];
  readonly stderr: string;
}

function argumentsOf({ app, by, beside, register = REGISTER }: Start): string[] {
  const sdk = `${FOLDER}/own-sdk.${by === '--import' ? 'mjs' : 'cjs'}`;
  const preloads: Record<Beside, string[]> = {
    alone: [register],
    'auto first': [AUTO, register],
    'auto second': [register, AUTO],
    'own SDK first': [sdk, register],
    'own SDK second': [register, sdk],
  };
  // instrumentation-http sees an ESM app's import of node:http through OpenTelemetry's loader only.
  const loader = app === 'plain.mjs' && beside.startsWith('auto') ? LOADER : [];
  return [
    ...(beside === 'alone' ? [] : QUIET),
    ...loader,
    ...preloads[beside].flatMap((name) => [by, name]),
    `${FOLDER}/${app}`,
  ];
}

class Program {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown[]>;
  stderr = '';
  port = 0;

  constructor(start: Start, env: Record<string, string>) {
    this.#child = spawn(process.execPath, argumentsOf(start), { env: { ...process.env, ...env }, stdio: 'pipe' });
    this.#exit = once(this.#child, 'exit');
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  async ready(): Promise<void> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the program has no output');
    const [line] = await Promise.race([once(createInterface({ input: stdout }), 'line'), this.#exit]);
    this.port = Number(line);
    if (!(this.port > 1)) throw new Error(`the program did not start: ${this.stderr}`);
  }

  async end(): Promise<void> {
    this.#child.stdin?.end();
    await this.#exit;
  }
}

/** A request, with a body in two late parts where `late` is set. */
async function ask(port: number, path: string, late = false): Promise<Answer> {
  const request = http.request({ port, host: '127.0.0.1', path, method: late ? 'POST' : 'GET', agent: false });
  if (late) {
    request.flushHeaders();
    await delay(20);
  }
  request.end(late ? 'late' : undefined);
  const [reply]: http.IncomingMessage[] = await once(request, 'response');
  if (reply === undefined) throw new Error('there is no reply');
  let text = '';
  for await (const part of reply.setEncoding('utf8')) text += part;
  const values = reply.headersDistinct[FailureHeader.NAME.toLowerCase()] ?? [];
  const reports = values.map((value) => [
    ...(FailureHeader.decode([[FailureHeader.NAME, value]])?.events.keys() ?? []),
  ]);
  return { status: reply.statusCode ?? 0, reports, body: JSON.parse(text) };
}

/** Starts the app twice and lets one call the other. */
export async function play(start: Start): Promise<RegisterRun> {
  const receiver = await receiveOtlp();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_NODE_RESOURCE_DETECTORS: 'env',
    ...start.env,
  };
  const caller = new Program(start, { ...env, OTEL_SERVICE_NAME: 'caller' });
  const called = new Program(start, { ...env, OTEL_SERVICE_NAME: 'called' });
  try {
    await Promise.all([caller.ready(), called.ready()]);
    const late = await ask(caller.port, '/late', true);
    const afterwards = await ask(caller.port, '/afterwards');
    const call = await ask(caller.port, `/call?port=${called.port}`);
    await Promise.all([caller.end(), called.end()]);
    const stderr = caller.stderr + called.stderr;
    return { late, afterwards, call, ...receiver, stderr };
  } finally {
    await Promise.all([caller.end(), called.end()]);
    await receiver.close();
  }
}
