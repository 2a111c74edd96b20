import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { FailureReport, failureReportFor, NgFailureEvent } from '../../src/index.ts';

function detailsOf(details: object): unknown {
  const error = new NgFailureEvent({ boundary: 'model', failureKind: 'cancelled', failureReason: 'x', details });
  // Whatever it was made of, any reader must take it.
  const json = JSON.stringify(failureReportFor(error));
  expect(FailureReport.parseText(json).failureId).toBe(error.eventId);
  return JSON.parse(JSON.stringify(error.details));
}

describe('details', () => {
  it('keeps JSON data as it is and copies it', () => {
    const given = { a: [1, null, { b: true }], c: 'text', nothing: null, __proto__: null };
    const error = new NgFailureEvent({
      boundary: 'model',
      failureKind: 'cancelled',
      failureReason: 'x',
      details: given,
    });
    given.c = 'changed';
    expect(error.details).toEqual({ a: [1, null, { b: true }], c: 'text', nothing: null });
    expect(Object.isFrozen(error.details)).toBe(true);
  });

  it('writes what JSON cannot say as text, or leaves it out', () => {
    expect(
      detailsOf({
        nan: Number.NaN,
        big: 10n,
        huge: 1n << 100_000n,
        when: new Date(0),
        never: new Date(Number.NaN),
        url: new URL('http://h/p'),
        fn: () => 1,
        symbol: Symbol('s'),
        missing: undefined,
        list: [undefined, () => 1],
      }),
    ).toEqual({
      nan: 'NaN',
      big: '10',
      when: '1970-01-01T00:00:00.000Z',
      never: 'Invalid Date',
      url: 'http://h/p',
      list: [null, null],
    });
  });

  it('takes of an error only what it may tell', () => {
    const error = Object.assign(new TypeError('no answer'), {
      status: 503,
      request: { headers: { authorization: 'Bearer abcdef123456' } },
      body: 'the whole prompt',
    });
    expect(detailsOf({ error })).toEqual({
      error: { exception_type: 'TypeError', message: 'no answer', http_status: 503 },
    });
  });

  it('takes no more of an error of another realm, such as a test runner has', () => {
    const error: unknown = runInNewContext(
      'Object.assign(new TypeError("no answer"), { config: { headers: { authorization: "Bearer abcdef123456" } } })',
    );
    expect(error).not.toBeInstanceOf(Error);
    expect(detailsOf({ error })).toEqual({ error: { exception_type: 'TypeError', message: 'no answer' } });
  });

  it('leaves bytes out, at once', () => {
    const start = performance.now();
    expect(detailsOf({ body: Buffer.alloc(20_000_000), n: 1 })).toEqual({ n: 1 });
    expect(performance.now() - start).toBeLessThan(1000);
  });

  it('ends at cycles, bottomless data, wide data and whatever throws', () => {
    const cycle: Record<string, unknown> = { n: 1 };
    cycle.self = cycle;
    expect(JSON.stringify(detailsOf(cycle))).toContain('[too deep]');
    expect(JSON.stringify(detailsOf({ deep: JSON.parse('['.repeat(5000) + ']'.repeat(5000)) }))).toContain(
      '[too deep]',
    );
    const bottomless = {
      get next(): object {
        return Object.create(this, { more: { value: bottomless.next, enumerable: true } });
      },
    };
    expect(JSON.stringify(detailsOf(bottomless)).length).toBeLessThan(100_000);
    const endless = { toJSON: () => ({ ...endless }) };
    expect(JSON.stringify(detailsOf({ endless })).length).toBeLessThan(10_000);
    const wide = detailsOf({ list: new Array(1_000_000).fill(0) });
    expect(JSON.stringify(wide).length).toBeLessThan(100_000);
    const shared = Array.from({ length: 30 }).reduce<object>((inner) => ({ a: inner, b: inner }), {});
    expect(JSON.stringify(detailsOf({ shared })).length).toBeLessThan(500_000);
    const throwing = {
      well: 1,
      get bad(): never {
        throw new Error('no');
      },
      trap: new Proxy(
        {},
        {
          ownKeys: () => {
            throw null;
          },
        },
      ),
    };
    expect(detailsOf({ throwing, good: 1 })).toEqual({ throwing: { well: 1 }, good: 1 });
    const revoked = Proxy.revocable([], {});
    revoked.revoke();
    expect(detailsOf({ revoked: revoked.proxy, good: 1 })).toEqual({ good: 1 });
  });

  it('keeps members named like those of every object', () => {
    expect(JSON.stringify(detailsOf(JSON.parse('{"__proto__":{"x":1},"constructor":2}')))).toBe(
      '{"__proto__":{"x":1},"constructor":2}',
    );
  });
});
