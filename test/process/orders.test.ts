import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawReply, readRaw } from '../support/http-raw.ts';
import { secondCopy } from '../support/second-copy.ts';

/** What each process is started with. */
const SDKS: Record<string, Record<string, string>> = {
  'tracing on': {},
  'OTEL_SDK_DISABLED=true': { OTEL_SDK_DISABLED: 'true' },
  unsampled: { OTEL_TRACES_SAMPLER: 'always_off' },
  'no SDK': { SDK: 'none' },
};
const ROUTES = ['/quiet', '/attempt', '/own', '/late-body', '/fetch', '/undici', '/http', '/stream'];
const QUIET = { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' };

const folder = mkdtempSync(join(tmpdir(), 'ng-orders-'));
let second = '';

interface SpanLine {
  readonly kind: number;
  readonly attributes: Record<string, unknown>;
  readonly events: readonly { readonly name: string; readonly attributes: Record<string, unknown> }[];
}

interface Run {
  readonly replies: ReadonlyMap<string, RawReply>;
  readonly spans: readonly SpanLine[];
  readonly stderr: string;
}

let runs = 0;
async function play(env: Record<string, string>): Promise<Run> {
  runs += 1;
  const spans = join(folder, `spans-${runs}.jsonl`);
  const args = [
    // HttpInstrumentation's loader hook needs module.register, which Node 26 deprecates.
    '--disable-warning=DEP0205',
    '--import',
    'tsx',
    '--import',
    './test/process/programs/orders/start.ts',
    './test/process/programs/orders/server.ts',
  ];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...QUIET, ...env, SPANS: spans },
    stdio: 'pipe',
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exit = once(child, 'exit');
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exit]);
  expect(Number(line), stderr).toBeGreaterThan(0);
  const replies = new Map<string, RawReply>();
  for (const route of ROUTES) replies.set(route, readRaw(await ask(Number(line), `/ng-rollout/r-1${route}`)));
  child.stdin.end();
  await exit;
  const lines = existsSync(spans) ? readFileSync(spans, 'utf8').trim().split('\n') : [];
  return { replies, spans: lines.map((text): SpanLine => JSON.parse(text)), stderr };
}

/** One request; where the handler waits for its body, that comes in two late parts. */
async function ask(port: number, path: string): Promise<string> {
  const socket = net.connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  const closed = once(socket, 'close');
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\n`;
  if (path.endsWith('/late-body')) {
    socket.write(head);
    for (const part of ['ab', 'cd']) {
      await new Promise((resolve) => setTimeout(resolve, 15));
      socket.write(part);
    }
  } else {
    socket.write(`${head}abcd`);
  }
  await closed;
  return Buffer.concat(chunks).toString('latin1');
}

const reportsOf = (run: Run): unknown =>
  Object.fromEntries([...run.replies].map(([route, { reports }]) => [route, reports]));
const restOf = (run: Run): unknown =>
  Object.fromEntries([...run.replies].map(([route, { head, body }]) => [route, { head, body }]));

let bare: Run;
let reference: Run;
beforeAll(async () => {
  second = secondCopy();
  bare = await play({ ORDER: 'bare', SDK: 'none' });
  reference = await play({ ORDER: 'after', SDK: 'none' });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(second, { recursive: true, force: true });
});

it('the replies report what happened', () => {
  const ids = (route: string): string[] =>
    (reference.replies.get(route)?.reports ?? []).flatMap((value) => Object.keys(JSON.parse(value).events));
  expect(Object.fromEntries(ROUTES.map((route) => [route, ids(route)]))).toEqual({
    '/quiet': [],
    '/attempt': ['attempt'],
    '/own': ['own', 'cause'],
    '/late-body': ['in-end', 'data-2', 'data-4'],
    '/fetch': ['above', 'own', 'cause'],
    '/undici': ['above', 'own', 'cause'],
    '/http': ['above', 'own', 'cause'],
    '/stream': [],
  });
});

describe.each(Object.entries(SDKS))('%s', (name, env) => {
  it.each(['before', 'after'])('ours %s HttpInstrumentation: the same bytes', async (order) => {
    const run = await play({ ...env, ORDER: order });
    expect(reportsOf(run)).toEqual(reportsOf(reference));
    expect(restOf(run)).toEqual(restOf(bare));
    expect(run.stderr).toBe(bare.stderr);
    if (name === 'tracing on') checkSpans(run.spans);
    else expect(run.spans).toEqual([]);
  });
});

it('two copies of the package act as one', async () => {
  const url = pathToFileURL(`${second}/dist/index.js`).href;
  const OURS = `opentelemetry-instrumentation-nemo-gym,${url}`;
  const run = await play({ ORDER: 'after', OURS });
  expect(reportsOf(run)).toEqual(reportsOf(reference));
  expect(restOf(run)).toEqual(restOf(bare));
  checkSpans(run.spans);
  // The app's own functions are the first copy's; the second must do for them as well.
  const alone = await play({ ORDER: 'after', OURS: url });
  expect(reportsOf(alone)).toEqual(reportsOf(reference));
  checkSpans(alone.spans);
});

const SERVER = 1;

/** Each failure id of the replies is on a span, once each. */
function checkSpans(spans: readonly SpanLine[]): void {
  const server = spans.filter(({ kind }) => kind === SERVER);
  const of = (route: string): SpanLine[] =>
    server.filter(({ attributes }) => String(attributes['url.path']).endsWith(route));
  const ids = (span: SpanLine | undefined): unknown[] =>
    (span?.events ?? []).map((event) => [
      event.attributes['nemo.gym.failure.event_id'],
      event.attributes['nemo.gym.failure.origin'],
    ]);
  const everywhere = (route: string): unknown[] => of(`/ng-rollout/r-1${route}`).flatMap(ids);
  expect(everywhere('/quiet')).toEqual([]);
  expect(everywhere('/attempt')).toEqual([['attempt', 'attempt']]);
  expect(everywhere('/own')).toEqual([
    ['cause', 'raised'],
    ['own', 'raised'],
  ]);
  expect(everywhere('/late-body')).toEqual([
    ['data-2', 'attempt'],
    ['data-4', 'attempt'],
    ['in-end', 'raised'],
  ]);
  expect(everywhere('/stream')).toEqual([['in-stream', 'raised']]);
  for (const route of ['/fetch', '/undici', '/http']) {
    const [span] = of(`/ng-rollout/r-1${route}`);
    expect(span?.attributes, route).toMatchObject({
      'nemo.gym.rollout.id': 'r-1',
      'nemo.gym.failure.id': 'above',
      'nemo.gym.failure.count': 3,
    });
    const all = spans.filter(({ events }) =>
      events.some(({ attributes }) => attributes['nemo.gym.failure.event_id'] === 'above'),
    );
    expect(all, route).toHaveLength(3);
  }
}
