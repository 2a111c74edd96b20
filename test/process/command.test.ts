import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { agentFailure, attempt, eventId, jsonl, reportOf, rolloutId, row, traceId } from '../support/rows.ts';
import { exportOf, span, spanEvent } from '../support/rows-traces.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/ng-failures.js', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'ng-failures-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
beforeAll(() => {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: npm run build`);
});

interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: dir, env: { ...process.env, ...env } });
  return outcome(child);
}

async function outcome(child: ChildProcess): Promise<Outcome> {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, out, err };
}

function file(name: string, content: string): string {
  writeFileSync(join(dir, name), content);
  return name;
}

const FIRST = attempt(eventId(1, 0));
const SECOND = agentFailure(eventId(1, 1), eventId(1, 0));
const ROWS = jsonl([row(0), row(1, reportOf([FIRST, SECOND], { failure_id: SECOND.event_id }))]);
const traces = (...events: readonly object[]) =>
  jsonl([exportOf([span({ traceId: traceId(1), rolloutId: rolloutId(1), events })])]);

describe('the program', () => {
  it('starts as a program of its own', () => {
    expect(readFileSync(PROGRAM, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  it('has help and a version', async () => {
    expect(await run(['--version'])).toEqual({ code: 0, out: `${packageJson.version}\n`, err: '' });
    for (const args of [['--help'], ['-h'], ['help'], ['help', 'show'], ['show', '--help'], ['reconcile', '-h']]) {
      const { code, out, err } = await run(args);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toContain('Exit codes:');
    }
  });

  it.each([
    [[], 'name a command'],
    [['recon'], 'unknown command "recon"; valid: show, reconcile, trace, summary, --help, --version'],
    [['--colour'], 'unknown option "--colour"; valid: show, reconcile, trace, summary, --help, --version'],
    [['show'], 'name at least 1 file of rows: ng-failures show ROWS.jsonl'],
    [['show', 'a', '--trace', 'b'], 'unknown option --trace; valid: --traces OTLP.jsonl, --help'],
    [['reconcile', 'a', '--json=yes', '--traces', 'b'], '--json takes no value'],
    [['reconcile', 'a'], 'name the traces with --traces OTLP.jsonl or --jaeger URL'],
    [['reconcile', 'a', '--traces'], '--traces needs a value: --traces OTLP.jsonl'],
    [['reconcile', 'a', '--traces', '--json'], '--traces needs a value: --traces OTLP.jsonl'],
    [['reconcile', 'a', '--jaeger', 'localhost:16686'], '"localhost:16686" is no address of Jaeger; give one such as'],
    [['reconcile', 'a', '--traces', 'b', '--since', '1h'], '--since is about Jaeger; name it with --jaeger URL'],
    [['trace', 'a', '--jaeger'], '--jaeger needs a value: --jaeger URL'],
    [['trace'], 'name at least 1 file of rows: ng-failures trace ROWS.jsonl[:LINE]'],
    [['__proto__'], 'unknown command "__proto__"'],
    [['show', 'a', '--constructor'], 'unknown option --constructor'],
  ])('ends %j with 2 and says why', async (args, message) => {
    const { code, out, err } = await run(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });
});

describe('show', () => {
  it('prints trees to stdout and nothing to stderr', async () => {
    const { code, out, err } = await run(['show', file('rows.jsonl', ROWS)]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^rows\.jsonl:2 {2}rollout rollout-00000001/);
    expect(out).toContain(`own failure  agent  agent_run_error  stage agent  operation run  event ${SECOND.event_id}`);
    expect(out).toMatch(/\n2 rows: 1 failed, 0 recovered, 1 without failures; 2 events \(model 1, agent 1\)\n$/);
  });

  it('prints the trace beside a chain with --traces', async () => {
    const { out } = await run([
      'show',
      file('rows.jsonl', ROWS),
      '--traces',
      file('t.jsonl', traces(spanEvent(SECOND))),
    ]);
    expect(out).toContain(`event ${SECOND.event_id}  trace ${traceId(1)}\n`);
  });

  it('shows the good rows of a file with bad lines, and ends with 1', async () => {
    const name = file('bad.jsonl', `nope\n${ROWS}[1]\n{"torn`);
    const { code, out, err } = await run(['show', name]);
    expect(code).toBe(1);
    expect(out).toContain('bad.jsonl:3  rollout');
    expect(err).toMatch(
      /^bad\.jsonl:1: not JSON[^\n]*\nbad\.jsonl:4: is an array[^\n]*\nbad\.jsonl:5: cut off[^\n]*\n$/,
    );
  });

  it('shows the files that can be read beside one that cannot, and ends with 2', async () => {
    const { code, out, err } = await run(['show', 'nope.jsonl', file('rows.jsonl', ROWS), '.']);
    expect(code).toBe(2);
    expect(err).toBe('nope.jsonl: no such file; check the path\n.: is a directory; name the .jsonl files in it\n');
    expect(out).toContain('own failure');
  });

  it('takes an empty file, a byte order mark and CRLF', async () => {
    const windows = file('windows.jsonl', `\ufeff${ROWS.replaceAll('\n', '\r\n')}`);
    const { code, out, err } = await run(['show', file('empty.jsonl', ''), windows]);
    expect({ code, err }).toEqual({ code: 0, err: 'empty.jsonl: is empty\n' });
    expect(out).toContain('windows.jsonl:2  rollout');
  });

  it('says that traces are no rows', async () => {
    const { code, out, err } = await run(['show', file('t.jsonl', `${traces()}{"resourceLogs":[]}\n`)]);
    expect(err).toBe(
      't.jsonl:1: an OTLP line ("resourceSpans"), not a row; name the file with --traces\n' +
        't.jsonl:2: an OTLP line ("resourceLogs"), not a row; name the file with --traces\n',
    );
    expect(code).toBe(1);
    expect(out).toMatch(/^0 rows: /);
  });

  it('writes no escape sequence into a pipe, whatever the environment wants', async () => {
    const hostile = attempt(eventId(3, 0), { failure_reason: '\x1b[31mred \u202e' });
    const name = file('hostile.jsonl', jsonl([row(3, reportOf([hostile]))]));
    for (const env of [{}, { NO_COLOR: '1' }, { FORCE_COLOR: '3' }]) {
      const { out } = await run(['show', name], env);
      expect(out).toContain('\\u{1b}[31mred \\u{202e}');
      expect(out).not.toContain('\x1b');
    }
  });

  it('ends quietly when its reader goes away', async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => row(index, reportOf([attempt(eventId(index, 0))])));
    const name = file('many.jsonl', jsonl(many));
    const child = spawn(process.execPath, [PROGRAM, 'show', name], { cwd: dir });
    child.stdout.once('data', () => child.stdout.destroy());
    const { code, err } = await outcome(child);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('loses nothing to a slow reader', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => row(index, reportOf([attempt(eventId(index, 0))])));
    const child = spawn(process.execPath, [PROGRAM, 'show', file('many.jsonl', jsonl(many))], { cwd: dir });
    child.stdout.pause();
    setTimeout(() => child.stdout.resume(), 500);
    const { code, out, err } = await outcome(child);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.match(/ recovered {2}model/g)).toHaveLength(5000);
    expect(out).toMatch(/\n5,000 rows: [^\n]*\n$/);
  });
});

describe('reconcile', () => {
  it('ends with 0 when all ids are on both sides', async () => {
    const args = [
      'reconcile',
      file('rows.jsonl', ROWS),
      '--traces',
      file('t.jsonl', traces(spanEvent(FIRST), spanEvent(SECOND))),
    ];
    const { code, out, err } = await run(args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('all ids on both sides (2)');
  });

  it('names the id, row and trace of an event taken out of the traces, and ends with 1', async () => {
    const args = ['reconcile', file('rows.jsonl', ROWS), '--traces', file('t.jsonl', traces(spanEvent(SECOND)))];
    const { code, out } = await run(args);
    expect(code).toBe(1);
    expect(out).toContain(
      `missing in traces  event ${FIRST.event_id}  rows.jsonl:2 rollout ${rolloutId(1)}  trace ${traceId(1)}\n`,
    );
    expect(out).toMatch(/\n1 finding; 1 id on both sides\n$/);
  });

  it('reads several files of each', async () => {
    const [good = '', failed = ''] = ROWS.split('\n');
    const rows = [file('a.jsonl', `${good}\n`), file('b.jsonl', failed)];
    const parts = [file('t1.jsonl', traces(spanEvent(FIRST))), file('t2.jsonl', traces(spanEvent(SECOND)))];
    const { code, out } = await run(['reconcile', ...rows, ...parts.flatMap((part) => ['--traces', part])]);
    expect(out).toContain('all ids on both sides (2)');
    expect(code).toBe(0);
  });

  it('has a form for programs', async () => {
    const args = [
      'reconcile',
      file('rows.jsonl', ROWS),
      '--json',
      '--traces',
      file('t.jsonl', traces(spanEvent(SECOND))),
    ];
    const { code, out } = await run(args);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      clean: false,
      nothingToCompare: false,
      rows: { rows: 2, withReport: 1, omitted: 0, eventIds: 2 },
      traces: { spans: 1, traces: 1, eventIds: 1 },
      matched: 1,
      explained: [],
      sampledOut: [],
      backends: [],
      otherRollouts: 0,
      findings: [
        {
          finding: 'missing_in_traces',
          eventId: FIRST.event_id,
          row: { file: 'rows.jsonl', line: 2, rolloutId: rolloutId(1) },
          traceIds: [traceId(1)],
        },
      ],
      badLines: 0,
      cuts: 0,
    });
  });

  it('ends with 1 when lines could not be read, though all other ids match', async () => {
    const rows = file('rows.jsonl', `${ROWS}{"torn`);
    const args = ['reconcile', rows, '--traces', file('t.jsonl', traces(spanEvent(FIRST), spanEvent(SECOND)))];
    const { code, out, err } = await run(args);
    expect(code).toBe(1);
    expect(err).toContain('rows.jsonl:3: cut off');
    expect(out).toContain('1 line could not be read; 2 ids on both sides');
  });

  it('compares nothing when a file cannot be read, and ends with 2', async () => {
    const { code, out, err } = await run(['reconcile', file('rows.jsonl', ROWS), '--traces', 'nope.jsonl']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe('ng-failures reconcile: nope.jsonl: no such file; check the path\n');
  });

  it('finds every id missing in a file of traces that is empty, and says that it is', async () => {
    const { code, out, err } = await run(['reconcile', file('rows.jsonl', ROWS), '--traces', file('t.jsonl', '')]);
    expect(code).toBe(1);
    expect(err).toContain('t.jsonl: holds no spans');
    expect(out).toContain('2 findings; 0 ids on both sides');
  });
});
