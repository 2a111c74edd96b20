import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { boundedText, explained, faultAt, shown } from '../../src/records/text.ts';

const MARKER = '...[truncated]';

describe('boundedText', () => {
  it('counts code points and never cuts a pair, wherever the limit falls', () => {
    for (const text of ['x'.repeat(60), '😀'.repeat(60), 'x😀'.repeat(30), '😀x漢'.repeat(20)]) {
      for (let limit = MARKER.length; limit <= 61; limit += 1) {
        const bounded = boundedText(text, limit);
        expect(bounded.isWellFormed()).toBe(true);
        if (limit >= 60) expect(bounded).toBe(text);
        else expect(bounded).toBe([...text].slice(0, limit - MARKER.length).join('') + MARKER);
      }
    }
  });

  it('makes lone surrogates well-formed, each one character, also at a cut', () => {
    expect(boundedText('a\ud800', 20)).toBe('a\ufffd');
    expect(boundedText('\ud800'.repeat(30), 20)).toBe('\ufffd'.repeat(20 - MARKER.length) + MARKER);
  });

  it('does not keep the whole of a long text alive', () => {
    setFlagsFromString('--expose-gc');
    const collect: unknown = runInNewContext('gc');
    if (typeof collect !== 'function') throw new Error('no garbage collector to call');
    const held = (): number => {
      collect();
      const { external, heapUsed } = process.memoryUsage();
      return external + heapUsed;
    };
    const before = held();
    const kept = Array.from({ length: 20 }, (_, index) =>
      boundedText(Buffer.alloc(5_000_000, `body ${index} `).toString('latin1'), 2000),
    );
    expect(held() - before).toBeLessThan(60_000_000);
    expect(kept.every((text) => text.length === 2000)).toBe(true);
  });
});

describe('shown and explained', () => {
  it('say in a line what a value is', () => {
    expect([undefined, null, 7, 10n, 'a\n', [], {}, () => 1, Symbol('s')].map(shown)).toEqual([
      'undefined',
      'null',
      '7',
      '10n',
      '"a\\n"',
      'an array',
      'an object',
      'a function',
      'Symbol(s)',
    ]);
    expect(shown('x'.repeat(1000)).length).toBeLessThan(100);
    expect(explained(new Error('broken'))).toBe('broken');
    expect(explained(runInNewContext('new Error("elsewhere")'))).toBe('elsewhere');
    expect(explained('text')).toBe('text');
    expect(explained(new Error('x'.repeat(10_000)))).toHaveLength(500);
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const odd of [
      revoked.proxy,
      Object.create(null),
      Object.defineProperty(new Error(), 'message', {
        get: () => {
          throw null;
        },
      }),
    ]) {
      expect(typeof explained(odd)).toBe('string');
    }
  });

  it('write out what a terminal or a log would act on, and stay on their line', () => {
    const hostile = 'a\r\n\x1b[2Jb\x9b31m\u202ec\u2028d\x7f';
    for (const text of [
      explained(new Error(hostile)),
      explained(hostile),
      shown(hostile),
      faultAt(hostile, 'x').message,
    ]) {
      expect(text).toMatch(/^[ -~]*$/);
      expect(text).toMatch(/a.*b.*c.*d/);
    }
    expect(faultAt('x'.repeat(10_000), 'y').message).toHaveLength(203);
  });
});
