import { describe, expect, it } from 'vitest';
import { type FailureEvent, validateFailureEventMap } from '../../src/index.ts';

function event(id: string, more: Partial<FailureEvent> = {}): FailureEvent {
  return { event_id: id, boundary: 'model', failure_kind: 'cancelled', failure_reason: 'x', ...more };
}

describe('validateFailureEventMap', () => {
  it('gives back its argument, a Map or an object', () => {
    const map = new Map([['a', event('a')]]);
    expect(validateFailureEventMap(map)).toBe(map);
    const record = Object.fromEntries(map);
    expect(validateFailureEventMap(record)).toBe(record);
  });

  it.each<[string, Record<string, FailureEvent>, RegExp]>([
    ['a key that differs', { q: event('a') }, /events\.q: the key differs/],
    ['a missing cause', { a: event('a', { cause_id: 'b' }) }, /"b" is not among the events/],
    ['a cycle of two', { a: event('a', { cause_id: 'b' }), b: event('b', { cause_id: 'a' }) }, /lead back to itself/],
    ['no event', { a: JSON.parse('null') }, /events\.a: expected an object, got null/],
  ])('refuses %s', (_what, map, message) => {
    expect(() => validateFailureEventMap(map)).toThrow(TypeError);
    expect(() => validateFailureEventMap(map)).toThrow(message);
  });
});
