import { describe, expect, it } from 'vitest';
import { type FailureEvent, FailureReport } from '../../src/index.ts';
import { sharedSymbol } from '../../src/records/shared-state.ts';
import { canonical } from '../support/canonical.ts';

function event(id: string, more: Partial<FailureEvent> = {}): FailureEvent {
  return { event_id: id, boundary: 'model', failure_kind: 'cancelled', failure_reason: 'x', ...more };
}

/** A report of events each of which is caused by the one before it. */
function chainOf(length: number): { events: Record<string, FailureEvent>; failure_id: string } {
  const events: Record<string, FailureEvent> = {};
  for (let index = 0; index < length; index += 1) {
    events[`e${index}`] = event(`e${index}`, index === 0 ? {} : { cause_id: `e${index - 1}` });
  }
  return { events, failure_id: `e${length - 1}` };
}

describe('FailureReport.parse', () => {
  it('copies: the caller’s object is neither kept nor frozen', () => {
    const details = { attempts: [1, 2] };
    const given = { failure_id: 'a', events: { a: event('a', { details }) } };
    const report = FailureReport.parse(given);
    details.attempts.push(3);
    given.events.a = event('a', { failure_reason: 'changed' });
    expect(canonical(report)).toBe(
      canonical({ failure_id: 'a', events: { a: event('a', { details: { attempts: [1, 2] } }) } }),
    );
    expect(Object.isFrozen(details)).toBe(false);
  });

  it('gives a report back as it is', () => {
    const report = FailureReport.parse({ omitted: true });
    expect(FailureReport.parse(report)).toBe(report);
  });

  it.each<[what: string, value: unknown, message: RegExp]>([
    ['no object', 42, /^Invalid failure report: expected an object, got 42$/],
    ['nothing', undefined, /undefined/],
    ['a list', [], /expected an object, got an array/],
    ['a failure_id that is no text', { failure_id: 7 }, /failure_id: expected text, got 7/],
    ['a failure_id that is not there', { failure_id: 'zz' }, /failure_id: "zz" is not among the events/],
    ['omitted that is no boolean', { omitted: 'yes' }, /omitted: expected true or false, got "yes"/],
    ['events that are a list', { events: [] }, /events: expected an object, got an array/],
    ['an event that is no object', { events: { a: 3 } }, /events\.a: expected an object, got 3/],
    [
      'an unknown boundary',
      { events: { a: { ...event('a'), boundary: 'kernel' } } },
      /events\.a\.boundary: .*"kernel"/,
    ],
    ['a status out of range', { events: { a: event('a', { http_status: 42 }) } }, /events\.a\.http_status: .*42/],
    [
      'a kind of no form',
      { events: { a: event('a', { failure_kind: 'Gpu On Fire' }) } },
      /failure_kind: .*"Gpu On Fire"/,
    ],
    ['a key that differs', { events: { q: event('a') } }, /events\.q: the key differs from event_id "a"/],
    ['a cause that is not there', { events: { a: event('a', { cause_id: 'b' }) } }, /cause_id "b" is not among/],
    ['a cycle', { events: { a: event('a', { cause_id: 'a' }) } }, /events\.a: its causes lead back to itself/],
    [
      'a lone surrogate',
      { events: { a: event('a', { failure_reason: '\ud800' }) } },
      /failure_reason: .*lone surrogate/,
    ],
    ['a number without a form', { events: { a: event('a', { details: { n: Infinity } }) } }, /details\.n: Infinity/],
    ['an instance of a class', { events: { a: new Map() } }, /events\.a: an instance of Map is not JSON data/],
  ])('refuses %s by name, path and value', (_what, value, message) => {
    expect(() => FailureReport.parse(value)).toThrow(TypeError);
    expect(() => FailureReport.parse(value)).toThrow(message);
  });

  it('says what is wrong in a bounded line, however long the value is', () => {
    const long = 'k'.repeat(1_000_000);
    for (const value of [
      { events: { [long]: 3 } },
      { failure_id: long },
      { events: { a: event('a', { stage: long } as never) } },
    ]) {
      const error = captured(() => FailureReport.parse(value));
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error).length).toBeLessThan(700);
    }
  });

  it('throws a TypeError of its own for whatever throws while it is read', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const values: unknown[] = [
      revoked.proxy,
      {
        get events(): never {
          throw new Error('a getter');
        },
      },
      {
        get events(): never {
          throw {
            toString: () => {
              throw new Error('no text');
            },
          };
        },
      },
      {
        get events(): never {
          throw Symbol('odd');
        },
      },
      { [sharedSymbol('report')]: true },
      {
        [sharedSymbol('report')]: true,
        toJSON: () => {
          throw new Error('a copy that breaks');
        },
      },
    ];
    for (const value of values) {
      const error = captured(() => FailureReport.parse(value));
      if (value === values[4]) expect(error).toBeUndefined();
      else expect(String(error)).toMatch(/^TypeError: Invalid failure report: /);
    }
  });

  it('takes 100 levels and refuses 101', () => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
    const report = (levels: number): object => ({
      events: { a: { ...event('a'), details: { deep: nested(levels) } } },
    });
    // The report, events, the event and details are four levels already.
    expect(FailureReport.parse(report(96)).events.size).toBe(1);
    expect(FailureReport.parseText(JSON.stringify(report(96))).events.size).toBe(1);
    expect(() => FailureReport.parse(report(97))).toThrow(/nested over 100 levels/);
    expect(() => FailureReport.parseText(JSON.stringify(report(97)))).toThrow(/nested over 100 levels/);
    const bottomless = `{"events":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(() => FailureReport.parseText(bottomless)).toThrow(/nested over 100 levels/);
  });

  it('checks causes in time linear in the number of events', () => {
    const [small, large] = [chainOf(20_000), chainOf(200_000)];
    const seconds = (given: object): number => {
      const start = performance.now();
      FailureReport.parse(given);
      return (performance.now() - start) / 1000;
    };
    seconds(small);
    // Ten times the events; a quadratic check would take a hundred times as long: over a minute.
    expect(seconds(large)).toBeLessThan(10);
  });
});

describe('a report', () => {
  const report = FailureReport.parse({ failure_id: 'a', events: { a: event('a', { details: { list: [{}] } }) } });

  it.each([
    ['EMPTY', FailureReport.EMPTY],
    ['a parsed one', report],
    ['a merged one', report.merge(FailureReport.parse({ omitted: true }))],
  ])('cannot be changed: %s', (_name, immutable) => {
    const before = canonical(immutable);
    const events: unknown = immutable.events;
    if (!(events instanceof Map)) throw new Error('not a Map');
    expect(() => events.set('b', event('b'))).toThrow(/immutable/);
    expect(() => events.delete('a')).toThrow(/immutable/);
    expect(() => events.clear()).toThrow(/immutable/);
    expect(() => Object.assign(immutable, { omitted: true })).toThrow(TypeError);
    expect(() => Object.assign(events, { set: Map.prototype.set })).toThrow(TypeError);
    for (const value of immutable.events.values()) {
      expect(() => Object.assign(value, { failure_reason: 'changed' })).toThrow(TypeError);
      expect(() => Object.assign(value.details ?? {}, { more: 1 })).toThrow(TypeError);
    }
    expect(canonical(immutable)).toBe(before);
  });

  it('gives a new object to whoever writes it', () => {
    const written = report.toJSON();
    delete written.events?.a;
    expect(canonical(report.toJSON())).not.toBe(canonical(written));
  });

  it('is empty only when nothing is set', () => {
    expect(FailureReport.EMPTY.isEmpty).toBe(true);
    expect(FailureReport.parse({}).isEmpty).toBe(true);
    expect(FailureReport.parse({ omitted: false, events: {} })).toBe(FailureReport.EMPTY);
    expect(FailureReport.parse({ omitted: true }).isEmpty).toBe(false);
    expect(report.isEmpty).toBe(false);
  });

  it('freezes what reading made anew', () => {
    const read = FailureReport.parse({
      events: { a: { ...event('a'), stage: null, foreign_error: { exception_type: 'E', message: 'm', more: null } } },
    }).events.get('a');
    expect(Object.isFrozen(read)).toBe(true);
    expect(Object.isFrozen(read?.foreign_error)).toBe(true);
    expect(Object.keys(read ?? {})).not.toContain('stage');
  });

  it('is told from everything else', () => {
    expect(FailureReport.is(report)).toBe(true);
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const throwing = new Proxy(
      {},
      {
        has: () => {
          throw new Error('no');
        },
      },
    );
    for (const other of [
      undefined,
      null,
      {},
      report.toJSON(),
      'a',
      revoked.proxy,
      throwing,
      Object.create(FailureReport.prototype),
    ]) {
      expect(FailureReport.is(other)).toBe(false);
    }
  });
});

function captured(fn: () => unknown): unknown {
  try {
    fn();
    return undefined;
  } catch (error) {
    return error;
  }
}
