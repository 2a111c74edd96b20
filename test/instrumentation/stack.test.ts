import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
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

  it('masks credentials in message and frames, however often it has seen them', () => {
    const frames = '\n    at load (file:///app/x.js?token=abcdefgh:1:2)\n    at run (https://me:pass@host/y.js:3:4)';
    const at = (message: string): Error => Object.assign(new Error(message), { stack: `Error: ${message}${frames}` });
    const shown = '\n    at load (file:///app/x.js?token=***\n    at run (https://***@host/y.js:3:4)';
    for (let time = 0; time < 3; time += 1) {
      expect(stackWithCauses(at(`api_key=number${time}`))).toBe(`Error: api_key=***${shown}`);
    }
  });

  it('masks a credential of the message that goes on in lines like frames', () => {
    const message = 'Authorization:\n    at s3cr3t';
    const error = Object.assign(new Error(message), { stack: `Error: ${message}\n    at run (/app/y.js:3:4)` });
    expect(stackWithCauses(error)).toBe('Error: Authorization:\n    ***\n    at run (/app/y.js:3:4)');
  });

  it('remembers few places, and of none more than is shown', () => {
    setFlagsFromString('--expose-gc');
    const gc: () => void = runInNewContext('gc');
    const held = (): number => {
      gc();
      return process.memoryUsage().heapUsed;
    };
    const before = held();
    for (let index = 0; index < 5_000; index += 1) {
      const frames = `\n    at f${index} (/app/y.js:3:4)`.padEnd(3_000, 'z');
      // At last stacks of a megabyte, of which the frames are a part.
      const rest = index > 4_900 ? 'z'.repeat(1 << 20) : '';
      stackWithCauses(Object.assign(new Error('x'), { stack: `Error: ${'m'.repeat(5_500)}${frames}${rest}` }));
    }
    expect(held() - before).toBeLessThan(4 << 20);
  });
});
