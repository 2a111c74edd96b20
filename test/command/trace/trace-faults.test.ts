import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../../support/command-run.ts';
import { FakeJaeger } from '../../support/fake-jaeger.ts';
import { attempt, eventId, jsonl, reportOf, rolloutId, row, traceId } from '../../support/rows.ts';
import { spanEvent } from '../../support/rows-traces.ts';
import { timedSpan } from '../../support/timed-span.ts';

const dir = mkdtempSync(join(tmpdir(), 'ng-trace-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

let jaeger: FakeJaeger;
beforeEach(async () => {
  jaeger = await new FakeJaeger().start();
});
afterEach(() => jaeger.stop());

const EVENT = attempt(eventId(1, 0));
const FAILED = row(1, reportOf([EVENT]));

function file(name: string, content: string): string {
  const path = join(dir, name);
  writeFileSync(path, content);
  return path;
}

const rows = file('rows.jsonl', jsonl([FAILED, row(0)]));
const now = (): bigint => BigInt(Date.now()) * 1_000_000n;

describe('trace ends with 2 and prints no address', () => {
  it('when a file is missing, naming each', async () => {
    const [one, other] = [join(dir, 'one.jsonl'), join(dir, 'other.jsonl:3')];
    const { code, out, err } = await runCommand(['trace', one, rows, other, '--jaeger', jaeger.url]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toBe(
      `ng-failures trace: ${one}: no such file; check the path\n` +
        `${join(dir, 'other.jsonl')}: no such file; check the path\n`,
    );
    expect(jaeger.asked).toEqual([]);
  });

  it('when the file has no such line, or nothing that is a row in it', async () => {
    const torn = file('torn.jsonl', `${jsonl([FAILED])}[1]\n`);
    for (const [name, line] of [
      [rows, 0],
      [rows, 3],
      [torn, 2],
    ] as const) {
      const { code, out, err } = await runCommand(['trace', `${name}:${line}`, '--jaeger', jaeger.url]);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(`ng-failures trace: ${name} has no row in line ${line}\n`);
    }
  });

  it.each([
    [
      '--jaeger',
      'localhost:16686',
      '"localhost:16686" is no address of Jaeger; give one such as http://localhost:16686',
    ],
    ['--since', 'yesterday', '--since is "yesterday"; give a time such as 2026-05-04'],
    ['--timeout', '0', '--timeout is "0"; give seconds, up to 3600'],
  ])('when %s is %s', async (option, value, message) => {
    const address = option === '--jaeger' ? [] : ['--jaeger', jaeger.url];
    const { code, out, err } = await runCommand(['trace', rows, ...address, option, value]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`ng-failures trace: ${message}`);
  });

  it('when nothing listens at the address', async () => {
    const gone = await new FakeJaeger().start();
    await gone.stop();
    const { url } = jaeger;
    await jaeger.stop();
    const { code, out, err } = await runCommand(['trace', rows, '--jaeger', url]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`ng-failures trace: ${url}: nothing listens there; start Jaeger, or give its address`);
    jaeger = await new FakeJaeger().start();
  });

  it('when the address is that of something else', async () => {
    jaeger.intercept = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>hello');
      return true;
    };
    const { code, out, err } = await runCommand(['trace', rows, '--jaeger', jaeger.url]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(`ng-failures trace: ${jaeger.url}: answers with a page`);
  });

  it('when Jaeger stops to answer among the rows', async () => {
    const many = Array.from({ length: 40 }, (_, index) => row(index, reportOf([attempt(eventId(index, 0))])));
    jaeger.add('agent', [timedSpan({ traceId: traceId(0) }, now())]);
    jaeger.intercept = (_request, response) => {
      if (jaeger.asked.length < 20) return false;
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"errors":[{"code":400,"msg":"no more"}]}');
      return true;
    };
    const path = file('many.jsonl', jsonl(many));
    const { code, out, err } = await runCommand(['trace', path, '--jaeger', jaeger.url]);
    expect({ code, out, err }).toEqual({
      code: 2,
      out: '',
      err: `ng-failures trace: ${jaeger.url}: answers 400: no more\n`,
    });
    expect(jaeger.asked.length).toBeLessThan(40);
  });
});

it('prints the good rows of a file with bad lines, and ends with 1', async () => {
  jaeger.add('agent', [timedSpan({ traceId: traceId(1), events: [spanEvent(EVENT)] }, now())]);
  const path = file('bad.jsonl', `nope\n${jsonl([FAILED])}{"torn`);
  const { code, out, err } = await runCommand(['trace', path, '--jaeger', jaeger.url]);
  expect(code).toBe(1);
  expect(out).toContain(`${path}:2  rollout ${rolloutId(1)}  ${jaeger.url}/trace/${traceId(1)}`);
  expect(err).toMatch(/bad\.jsonl:1: not JSON[^\n]*\n[^\n]*bad\.jsonl:3: cut off[^\n]*\n$/);
});

it('keeps user and password out of what it prints, and sends them to Jaeger', async () => {
  jaeger.add('agent', [timedSpan({ traceId: traceId(1), events: [spanEvent(EVENT)] }, now())]);
  const address = jaeger.url.replace('http://', 'http://me:sesame@');
  for (const form of [[], ['--json']]) {
    const { out } = await runCommand(['trace', rows, '--jaeger', address, ...form]);
    expect(out).toContain(`${jaeger.url}/trace/${traceId(1)}`);
    expect(out).not.toContain('sesame');
  }
  const expected = `Basic ${Buffer.from('me:sesame').toString('base64')}`;
  expect(new Set(jaeger.asked.map(({ headers }) => headers.authorization))).toEqual(new Set([expected]));
});

it('prints nothing that a terminal would act on, whatever rows and Jaeger hold', async () => {
  const evil = '\u001b[31m\u202e\u0007\r\n&uiFind=x #"\u2028';
  const event = attempt(evil);
  jaeger.add(evil, [timedSpan({ traceId: traceId(1), events: [spanEvent(event)] }, now())]);
  const path = file('evil\u001b[2J.jsonl', jsonl([row(1, reportOf([event]), { _ng_rollout_id: evil })]));
  const { code, out } = await runCommand(['trace', path, '--jaeger', jaeger.url]);
  expect(code).toBe(0);
  expect(out).toContain('rollout \\u{1b}[31m\\u{202e}\\u{7} &uiFind=x #"');
  expect(out).toContain(`/trace/${traceId(1)}?uiFind=${encodeURIComponent(evil)}\n`);
  expect(out).toMatch(/^[ -~]*\n$/);
});

it('searches for ids as they are, and not for one that is too long for an address', async () => {
  const long = 'x'.repeat(20_000);
  const odd = '"},{"a":1}\\';
  jaeger.add('agent', [timedSpan({ traceId: traceId(1), rolloutId: odd }, now())]);
  const path = file('odd.jsonl', jsonl([row(1, reportOf([attempt(long)]), { _ng_rollout_id: odd })]));
  const { code, out } = await runCommand(['trace', path, '--jaeger', jaeger.url]);
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`/trace/${traceId(1)}\n$`));
  const asked = jaeger.asked.filter((one) => one.path === '/api/traces').map(({ query }) => query.get('tags'));
  expect(asked).toEqual([JSON.stringify({ 'nemo.gym.rollout.id': odd })]);
});
