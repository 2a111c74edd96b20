import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Exchange, exchange, reasons } from '../support/framework-contract.ts';

const FRAMEWORKS = ['express', 'fastify', 'koa', 'hono'] as const;
const PATHS = ['/quiet', '/recovered', '/own'] as const;
const QUIET = { OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' };
const folder = mkdtempSync(join(tmpdir(), 'ng-frameworks-'));

interface SpanLine {
  readonly kind: number;
  readonly attributes: Record<string, unknown>;
  readonly events: readonly { readonly attributes: Record<string, unknown> }[];
}

interface Run {
  readonly replies: ReadonlyMap<string, Exchange>;
  readonly spans: readonly SpanLine[];
}

let runs = 0;
async function play(env: Record<string, string>): Promise<Run> {
  runs += 1;
  const spans = join(folder, `spans-${runs}.jsonl`);
  const programs = './test/process/programs';
  const args = ['--import', 'tsx', '--import', `${programs}/orders/start.ts`, `${programs}/frameworks/server.ts`];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...QUIET, ...env, SPANS: spans } });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exit = once(child, 'exit');
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exit]);
  expect(String(line), stderr).toMatch(/^\{/);
  const ports: Record<string, number> = JSON.parse(String(line));
  const replies = new Map<string, Exchange>();
  for (const framework of FRAMEWORKS) {
    const port = ports[framework] ?? 0;
    for (const path of PATHS) replies.set(framework + path, await exchange(port, `${path}?in=${framework}`));
  }
  child.stdin.end();
  await exit;
  expect(stderr).toBe('');
  const lines = existsSync(spans) ? readFileSync(spans, 'utf8').trim().split('\n') : [];
  return { replies, spans: lines.map((text): SpanLine => JSON.parse(text)) };
}

let bare: Run;
beforeAll(async () => {
  bare = await play({ ORDER: 'bare', SDK: 'none', ADAPTERS: 'none' });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each([
  ['the adapters alone', { ORDER: 'bare', SDK: 'none' }],
  ['the adapters and HttpInstrumentation', { ORDER: 'bare' }],
  ['no SDK', { ORDER: 'after', SDK: 'none' }],
  ['ours after HttpInstrumentation', { ORDER: 'after' }],
  ['ours before HttpInstrumentation', { ORDER: 'before' }],
  ['OTEL_SDK_DISABLED=true', { ORDER: 'after', OTEL_SDK_DISABLED: 'true' }],
])('%s', (_name, env) => {
  let run: Run;
  beforeAll(async () => {
    run = await play(env);
  });

  it.each(FRAMEWORKS)('%s replies with the report, and otherwise the same bytes', (framework) => {
    const reports = PATHS.map((path) => reasons(run.replies.get(framework + path)?.report));
    expect(reports).toEqual([[], ['none', 'attempt'], ['own', 'attempt']]);
    for (const path of PATHS) {
      expect(run.replies.get(framework + path)?.bytes).toBe(bare.replies.get(framework + path)?.bytes);
    }
    expect(run.replies.get(`${framework}/own`)?.status).toBe(500);
  });

  if (env.ORDER === 'bare' || 'SDK' in env || 'OTEL_SDK_DISABLED' in env) return;
  it.each(FRAMEWORKS)('%s shows the failure on the server span, once', (framework) => {
    const SERVER = 1;
    const shown = PATHS.map((path) =>
      run.spans
        .filter(({ kind, attributes }) => kind === SERVER && attributes['url.query'] === `in=${framework}`)
        .filter(({ attributes }) => attributes['url.path'] === path)
        .map(({ attributes, events }) => [
          attributes['nemo.gym.failure.id'],
          ...events.map((event) => [
            event.attributes['nemo.gym.failure.event_id'],
            event.attributes['nemo.gym.failure.origin'],
          ]),
        ]),
    );
    expect(shown).toEqual([
      [[undefined]],
      [[undefined, ['attempt', 'attempt']]],
      [['own', ['attempt', 'attempt'], ['own', 'raised']]],
    ]);
  });
});
