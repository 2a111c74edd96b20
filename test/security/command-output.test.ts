import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Output } from '../../src/command/output.ts';
import { runProgram } from '../../src/command/program.ts';
import { FakeJaeger } from '../support/fake-jaeger.ts';
import { attempt, jsonl } from '../support/rows.ts';
import { exportOf, spanEvent } from '../support/rows-traces.ts';
import { timedSpan } from '../support/timed-span.ts';

/** Moves, clears, renames, reverses and breaks; as 7-bit, as 8-bit and as text that nobody sees. */
const EVIL = 'e\u001b[2J\u001b]0;t\u0007\u009b31m\u202e\u2066\u200b\u{e0041}\r\n\u2028\u0085\u007f\bv';
/** What a terminal shows and does nothing else for, and the colours that are ours. */
const HARMLESS = /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|\n)*$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what is taken out
const OURS = /\u001b\[\d{1,2}m|\r\u001b\[K/g;

const dir = mkdtempSync(join(tmpdir(), 'ng-evil-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let jaeger: FakeJaeger;
beforeEach(async () => {
  jaeger = await new FakeJaeger().start();
});
afterEach(() => jaeger.stop());

/** A terminal with colours, or a pipe. */
class Screen extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  hasColors(): boolean {
    return this.isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

async function run(args: readonly string[]): Promise<string> {
  const shown: string[] = [];
  for (const isTTY of [true, false]) {
    const [out, err] = [new Screen(isTTY), new Screen(isTTY)];
    const streams = { out: new Output(out), err: new Output(err) };
    await runProgram(args, streams);
    await Promise.all([streams.out.flush(), streams.err.flush()]);
    shown.push(out.text + err.text);
  }
  return shown.map((text, at) => (at === 0 ? text.replace(OURS, '') : text)).join('');
}

/** `text` has the bytes of what was printed; nobody may act on them. */
function expectHarmless(text: string): void {
  const acted = text.split('\n').filter((line) => !HARMLESS.test(line));
  expect(acted.map((line) => JSON.stringify(line))).toEqual([]);
  expect(text.length).toBeGreaterThan(0);
}

function evilEvent(id: string, more: object = {}): object {
  return {
    ...attempt(id),
    failure_kind: 'made_up',
    failure_reason: EVIL,
    operation: EVIL,
    foreign_error: { exception_type: EVIL, message: EVIL },
    details: { [EVIL]: EVIL },
    [EVIL]: EVIL,
    ...more,
  };
}

function file(name: string, content: string): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

/** Rows with evil in each place that is printed: valid, invalid in each way, and lines that are none. */
const ROWS = file(
  'rows\u001b[2J\u202e\n.jsonl',
  `${jsonl([
    {
      _ng_rollout_id: EVIL,
      _ng_task_index: EVIL,
      _ng_rollout_index: EVIL,
      reward: EVIL,
      failure_kind: EVIL,
      failure_reason: EVIL,
      _ng_failure_id: EVIL,
      _ng_failure_events: { [EVIL]: evilEvent(EVIL, { cause_id: `2${EVIL}` }), [`2${EVIL}`]: evilEvent(`2${EVIL}`) },
    },
    { _ng_rollout_id: EVIL, _ng_failure_events: { [EVIL]: { ...attempt(EVIL), failure_kind: EVIL } } },
    { _ng_rollout_id: EVIL, _ng_failure_events: { [EVIL]: { ...attempt(EVIL), cause_id: EVIL } } },
    { _ng_rollout_id: EVIL, _ng_failure_events: { [EVIL]: 7 }, _ng_failure_events_omitted: EVIL },
    { _ng_rollout_id: EVIL, _ng_failure_id: EVIL },
    { _ng_failure_class: EVIL, failure_reason: EVIL },
  ])}${EVIL}\n{"a":${EVIL}}\n"${EVIL}"\n`,
);

const spans = [
  {
    traceId: EVIL,
    rolloutId: EVIL,
    events: [spanEvent(attempt(EVIL), { 'nemo.gym.failure.kind': EVIL, 'nemo.gym.failure.stage': EVIL })],
  },
  { traceId: `3${EVIL}`, rolloutId: EVIL, events: [spanEvent(attempt(`3${EVIL}`)), spanEvent(attempt(EVIL))] },
];
const TRACES = file('traces\u001b[2J\u009b.jsonl', jsonl([exportOf(spans.map((one) => timedSpan(one, 1n)))]) + EVIL);

describe('a terminal only shows', () => {
  it.each([
    ['show', ['show', ROWS, '--traces', TRACES]],
    ['reconcile', ['reconcile', ROWS, '--traces', TRACES]],
    ['reconcile --json', ['reconcile', ROWS, '--traces', TRACES, '--json']],
    ['summary', ['summary', ROWS]],
    ['summary --json', ['summary', ROWS, '--json']],
    ['summary --html', ['summary', ROWS, '--html', join(dir, 'page\u001b[2J\u202e.html')]],
  ])('%s', async (_name, args) => {
    const text = await run(args);
    expectHarmless(text);
    expect(text).toMatch(/\\u(?:001b|\{1b\})/);
  });

  it.each([
    ['trace', []],
    ['trace --json', ['--json']],
    ['reconcile --jaeger', []],
    ['summary --jaeger', []],
  ])('%s, of what Jaeger says too', async (name, more) => {
    const [command = ''] = name.split(' ');
    const now = BigInt(Date.now()) * 1_000_000n;
    jaeger.add(EVIL, [timedSpan({ ...spans[0], traceId: '4bf92f3577b34da6a3ce929d0e0e4736' }, now)]);
    expectHarmless(await run([command, ROWS, '--jaeger', jaeger.url, ...more]));
    expectHarmless(await run([command, ROWS, '--jaeger', jaeger.url, '--service', EVIL]));
    const errors: readonly [status: number, body: string][] = [
      [400, JSON.stringify({ errors: [{ code: 400, msg: EVIL }] })],
      [200, EVIL],
    ];
    for (const [status, body] of errors) {
      jaeger.intercept = (_request, response) => {
        response.writeHead(status, { location: '/a%1b[2J' }).end(body);
        return true;
      };
      expectHarmless(await run([command, ROWS, '--jaeger', jaeger.url]));
    }
  });

  it.each([
    [['show', `nowhere${EVIL}`]],
    [['reconcile', `nowhere${EVIL}`, '--traces', `neither${EVIL}`]],
    [['summary', ROWS, '--html', join(dir, `none${EVIL}`, 'page.html')]],
    [['summary', ROWS, '--html', ROWS]],
    [['trace', `nowhere${EVIL}`]],
    [['trace', `${ROWS}:9999`]],
    [['trace', ROWS, '--jaeger', `http://${EVIL}`]],
    [['reconcile', ROWS, '--jaeger', `nonsense${EVIL}`]],
    [['trace', ROWS, '--since', EVIL]],
    [['trace', ROWS, '--timeout', EVIL]],
    [[EVIL]],
    [['show', `--${EVIL}`]],
    [['show', `-${EVIL}`]],
    [['reconcile', `--json=${EVIL}`]],
    [['help', EVIL]],
  ])('what is wrong with the command line %j', async (args) => {
    expectHarmless(await run(args));
  });
});
