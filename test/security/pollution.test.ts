import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  deserializeFailure,
  FailureHeader,
  FailureReport,
  FailureReportRow,
  failureReportFor,
  NgFailureEvent,
  RequestFailureLog,
  rebuildFailure,
  StreamFailureReportReader,
  serializeFailure,
} from '../../src/index.ts';
import { runCommand } from '../support/command-run.ts';
import { FakeJaeger } from '../support/fake-jaeger.ts';

const dir = mkdtempSync(join(tmpdir(), 'ng-pollution-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];
/** Members that whoever assigns them carelessly gives to every object. */
const POISON = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1}';

/** An event as JSON text: `__proto__` is a member there as any other. */
function event(id: string, causeId?: string): string {
  const cause = causeId === undefined ? '' : `,"cause_id":${JSON.stringify(causeId)}`;
  return (
    `{"event_id":${JSON.stringify(id)},"boundary":"model","failure_kind":"cancelled","failure_reason":"x"${cause},` +
    `"details":{${POISON}},"foreign_error":{"exception_type":"E","message":"m",${POISON}},${POISON}}`
  );
}

const EVENTS = `{${NAMES.map((id, at) => `${JSON.stringify(id)}:${event(id, NAMES[at + 1])}`).join(',')}}`;
const REPORT = `{"failure_id":"__proto__","events":${EVENTS},${POISON}}`;

/** What every object, list, function and map has. */
function shared(): unknown {
  const prototypes = [Object.prototype, Array.prototype, Function.prototype, Map.prototype, Error.prototype];
  return prototypes.map((prototype) => [Reflect.ownKeys(prototype), Object.getPrototypeOf(prototype)]);
}

function expectClean(before: unknown): void {
  expect(shared()).toEqual(before);
  expect('polluted' in {}).toBe(false);
  expect('polluted' in []).toBe(false);
  expect('polluted' in (() => {})).toBe(false);
}

describe('names that objects treat specially are ordinary ids and members', () => {
  it('in a header, a stream, a row, an error and its data', () => {
    const before = shared();
    const report = FailureHeader.decode({ [FailureHeader.NAME]: REPORT });
    if (report === undefined) throw new Error('no report');
    expect([...report.events.keys()]).toEqual(NAMES);
    const reader = new StreamFailureReportReader();
    reader.feedText(`data: {"type":"error","${FailureHeader.STREAM_FIELD}":${REPORT},${POISON}}\n\n`);
    expect(reader.finish()?.toJSON()).toEqual(report.toJSON());
    const error = rebuildFailure(report);
    const again = deserializeFailure(JSON.parse(JSON.stringify(serializeFailure(error))));
    expect([...failureReportFor(again).events.keys()]).toEqual(NAMES);
    RequestFailureLog.capture((log) => {
      log.add(report);
      expect(log.report.events.size).toBe(NAMES.length);
    });
    const row: object = JSON.parse(`{"reward":1,${POISON}}`);
    const saved = FailureReportRow.mergedInto(row, report);
    expect(Object.getPrototypeOf(saved)).toBe(Object.prototype);
    expect(Object.keys(saved)).toEqual(expect.arrayContaining(['__proto__', 'constructor', 'prototype', 'reward']));
    expect(FailureReportRow.report(JSON.parse(JSON.stringify(saved)))).toEqual(report);
    expect(Object.getPrototypeOf(NgFailureEvent.fromRecord(JSON.parse(event('__proto__'))).toRecord())).toBe(
      Object.prototype,
    );
    expect(FailureReport.parse(JSON.parse(REPORT)).toJSON()).toEqual(report.toJSON());
    expectClean(before);
  });

  it('in the files that ng-failures reads, and in what Jaeger answers', async () => {
    const before = shared();
    const [rows, traces, page] = ['rows.jsonl', 'traces.jsonl', 'page.html'].map((name) => join(dir, name));
    if (rows === undefined || traces === undefined || page === undefined) throw new Error('no names');
    const lines = NAMES.map(
      (id) =>
        `{"_ng_rollout_id":${JSON.stringify(id)},"_ng_failure_events":{${JSON.stringify(id)}:${event(id)}},${POISON}}`,
    );
    writeFileSync(rows, `${lines.join('\n')}\n`);
    const attribute = (key: string, value: string): string =>
      `{"key":"${key}","value":{"stringValue":"${value}",${POISON}},${POISON}}`;
    const spans = NAMES.map((id, at) => {
      const facts = [
        ['event_id', id],
        ['boundary', 'model'],
        ['kind', 'cancelled'],
      ];
      const attributes = facts.map(([key = '', value = '']) => attribute(`nemo.gym.failure.${key}`, value)).join(',');
      return (
        `{"traceId":"${`${at + 1}`.padStart(32, '0')}","spanId":"__proto__","attributes":[${attribute('nemo.gym.rollout.id', id)}],` +
        `"events":[{"name":"nemo.gym.failure","attributes":[${attributes}],${POISON}}],${POISON}}`
      );
    });
    writeFileSync(
      traces,
      `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join(',')}],${POISON}}],${POISON}}],${POISON}}\n`,
    );
    const outcome = await runCommand(['reconcile', rows, '--traces', traces, '--json']);
    expect(JSON.parse(outcome.out)).toMatchObject({ clean: true, matched: NAMES.length });
    expect((await runCommand(['show', rows, '--traces', traces])).out).toContain('event __proto__  trace 0000');
    expect((await runCommand(['summary', rows, '--html', page])).out).toContain(`${NAMES.length} recovered`);
    expect(readFileSync(page, 'utf8')).toContain('"eventId":"__proto__"');

    const jaeger = await new FakeJaeger().start();
    onTestFinished(() => jaeger.stop());
    jaeger.intercept = (request, response) => {
      const isNames = request.url === '/api/services';
      const trace = `{"traceID":"ab","spans":[{"traceID":"ab","spanID":"1","tags":[{"key":"__proto__","value":{"polluted":1}}],${POISON}}],${POISON}}`;
      response.end(`{"data":[${isNames ? NAMES.map((name) => JSON.stringify(name)).join(',') : trace}],${POISON}}`);
      return true;
    };
    const found = await runCommand(['trace', rows, '--all', '--jaeger', jaeger.url, '--service', '__proto__']);
    expect(found.out.match(/\/trace\/0{30}ab/g)).toHaveLength(NAMES.length);
    await runCommand(['reconcile', rows, '--jaeger', jaeger.url]);
    expectClean(before);
  });

  it('on the command line', async () => {
    const before = shared();
    for (const name of NAMES) {
      expect((await runCommand([name])).err).toContain(`unknown command "${name}"`);
      expect((await runCommand(['show', `--${name}`])).err).toContain(`unknown option --${name}`);
      expect((await runCommand(['show', 'x', `--${name}=polluted`])).code).toBe(2);
    }
    expectClean(before);
  });
});
