import { afterEach, describe, expect, it } from 'vitest';
import { FailureHeader, FailureReport, FailureReportRow, NgFailureEvent, rebuildFailure } from '../../src/index.ts';
import { isPlainObject } from '../../src/records/json.ts';

// Ids are data from other machines: names that every object has anyway are ordinary ids.
const IDS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'toJSON',
  '0',
  'length',
];

function jsonOf(id: string, cause?: string): string {
  const link = cause === undefined ? '' : `,"cause_id":${JSON.stringify(cause)}`;
  return `${JSON.stringify(id)}:{"event_id":${JSON.stringify(id)},"boundary":"model","failure_kind":"cancelled","failure_reason":"x"${link}}`;
}

describe.each(IDS)('an event named %s', (id) => {
  const json = `{"failure_id":${JSON.stringify(id)},"events":{${jsonOf('inner')},${jsonOf(id, 'inner')}}}`;
  const report = FailureReport.parseText(json);

  it('is read, written and merged like any other', () => {
    expect(report.failureId).toBe(id);
    expect([...report.events.keys()].sort()).toEqual(['inner', id].sort());
    expect(FailureReport.parse(JSON.parse(json)).events.get(id)?.cause_id).toBe('inner');
    const merged = FailureReport.EMPTY.merge(report, FailureReport.parseText(`{"events":{${jsonOf('other')}}}`));
    const written = JSON.stringify(merged);
    expect(FailureReport.parseText(written).events.size).toBe(3);
    expect(FailureHeader.decode(FailureHeader.encode(merged))?.failureId).toBe(id);
    expect(Object.getPrototypeOf(merged.toJSON().events)).toBe(Object.prototype);
  });

  it('is saved in a row and read from it', () => {
    const row = FailureReportRow.mergedInto(JSON.parse('{"__proto__":{"reward":1},"constructor":2}'), report);
    const read: unknown = JSON.parse(JSON.stringify(row));
    expect(isPlainObject(read) && FailureReportRow.report(read).failureId).toBe(id);
    expect(Object.keys(row)).toEqual(expect.arrayContaining(['__proto__', 'constructor']));
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
  });

  it('is rebuilt as an error and made of it again', () => {
    const failure = rebuildFailure(report);
    expect(NgFailureEvent.is(failure) && failure.eventId).toBe(id);
    expect(NgFailureEvent.is(failure?.cause) && failure.cause.eventId).toBe('inner');
    expect(failure?.toRecord().cause_id).toBe('inner');
  });
});

describe('an app that changed Object.prototype', () => {
  const added = ['extra', 'loop'];
  afterEach(() => {
    for (const key of added) Reflect.deleteProperty(Object.prototype, key);
  });

  it('keeps what it added as it was, and reports are read all the same', () => {
    const loop: Record<string, unknown> = {};
    loop.loop = loop;
    Object.assign(Object.prototype, { extra: { of: 'a library' }, loop });
    const json = `{"events":{${jsonOf('a')}}}`;
    expect(FailureReport.parseText(json).events.get('a')?.failure_kind).toBe('cancelled');
    expect(FailureReport.parse(JSON.parse(json)).events.get('a')?.failure_kind).toBe('cancelled');
    expect(Object.isFrozen(Reflect.get(Object.prototype, 'extra'))).toBe(false);
    expect(JSON.stringify(FailureReport.parseText(json))).toBe(json);
  });

  it('may have made its members read-only', () => {
    const before = Object.getOwnPropertyDescriptor(Object.prototype, 'constructor') ?? {};
    Object.defineProperty(Object.prototype, 'constructor', { ...before, writable: false });
    try {
      const json = `{"events":{${jsonOf('constructor')}}}`;
      expect(JSON.stringify(FailureReport.parse(JSON.parse(json)))).toBe(json);
      expect(JSON.stringify(FailureReport.parseText(json))).toBe(json);
    } finally {
      Object.defineProperty(Object.prototype, 'constructor', before);
    }
  });
});
