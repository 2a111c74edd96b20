import { describe, expect, it } from 'vitest';
import { type FailureEvent, FailureReport } from '../../src/index.ts';

function event(id: string): FailureEvent {
  return { event_id: id, boundary: 'model', failure_kind: 'cancelled', failure_reason: 'x' };
}

describe('FailureReport.parseText', () => {
  it.each(['', 'failure', 'NaN', '{"omitted":NaN}', '[]', 'null', '{"events":{"a":{"n":1e999}}}'])(
    'refuses %j',
    (text) => {
      expect(() => FailureReport.parseText(text)).toThrow(/^Invalid failure report: /);
    },
  );

  it.each<[string, boolean]>([
    ['\\ud83d\\ude00', true],
    ['\\uD83D\\uDE00 \\u00e9', true],
    ['\\\\ud83d and \\\\ude00 are text', true],
    ['\\ud83d', false],
    ['\\ude00', false],
    ['\\ude00\\ud83d', false],
    ['\\ud83d\\ud83d\\ude00', false],
    ['\\ud83d\\ude00\\ude00', false],
    ['\\\\ud83d\\ude00', false],
    ['\\\\\\ud83d\\ude00', true],
  ])('knows whether escaped text %s is well-formed', (reason, wellFormed) => {
    const json = `{"events":{"a":${JSON.stringify(event('a')).replace('"x"', `"${reason}"`)}}}`;
    if (!wellFormed) expect(() => FailureReport.parseText(json)).toThrow(/lone surrogate/);
    else expect(FailureReport.parseText(json).events.get('a')?.failure_reason).toBe(JSON.parse(`"${reason}"`));
  });
});
