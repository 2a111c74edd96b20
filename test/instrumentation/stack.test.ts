import { describe, expect, it } from 'vitest';
import { stackWithCauses } from '../../src/instrumentation/stack.ts';

/** The first line of each error's part. */
const heads = (error: unknown): string[] =>
  stackWithCauses(error)
    .split('\n')
    .filter((line) => !line.startsWith('    at '));

describe('stackWithCauses', () => {
  it('has each explicit cause below its effect', () => {
    const error = new Error('outer', { cause: new TypeError('middle', { cause: 'a text' }) });
    expect(heads(error)).toEqual(['Error: outer', 'Caused by: TypeError: middle', 'Caused by: string: a text']);
  });

  it('ends at a cycle', () => {
    const error = new Error('round');
    error.cause = new Error('and round', { cause: error });
    expect(heads(error)).toEqual(['Error: round', 'Caused by: Error: and round']);
  });

  it('shows eight errors of a longer chain', () => {
    let error = new Error('0');
    for (let index = 1; index < 5_000; index += 1) error = new Error(String(index), { cause: error });
    const shown = heads(error);
    expect([shown.length, shown[7], shown[8]]).toEqual([9, 'Caused by: Error: 4992', 'Caused by: …']);
  });

  it('is bounded and well-formed, whatever an error says of itself', () => {
    const huge = Object.assign(new Error('x'), { stack: '😀'.repeat(1_000_000) });
    const lone = Object.assign(new Error('x'), { stack: 'a\ud800b' });
    const text = stackWithCauses(Object.assign(huge, { cause: lone }));
    expect(text.length).toBeLessThan(10_000);
    expect(text.isWellFormed()).toBe(true);
  });

  it('bears stacks that are missing, no text, or throw', () => {
    const throwing = Object.defineProperty(new RangeError('thrower'), 'stack', {
      get: () => {
        throw new Error('no stack for you');
      },
    });
    const odd = Object.assign(new Error('odd', { cause: throwing }), { stack: 42 });
    expect(stackWithCauses(odd)).toBe('Error: odd\nCaused by: RangeError: thrower');
  });
});
