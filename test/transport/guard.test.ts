import { DiagLogLevel, diag } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { guarded } from '../../src/transport/guard.ts';

const lines: string[] = [];
const keep = (line: string): void => void lines.push(line);

beforeEach(() => {
  vi.useFakeTimers();
  const logger = { error: keep, warn: keep, info: keep, debug: keep, verbose: keep };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
});
afterEach(() => {
  diag.disable();
  vi.useRealTimers();
  lines.length = 0;
});

const breaking = (what: string) =>
  guarded(what, () => {
    throw new RangeError('too deep');
  });

it('gives back what the work gives, and says nothing', () => {
  expect(guarded('adding', () => 42)).toBe(42);
  expect(lines).toEqual([]);
});

it('makes one diagnostic line of a fault, which names the work and the error', () => {
  expect(breaking('showing a failure')).toBeUndefined();
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/opentelemetry-instrumentation-nemo-gym: showing a failure failed.*RangeError: too deep/);
});

it('says it again after a minute at the earliest, and other work’s faults at once', () => {
  for (let times = 0; times < 9; times += 1) breaking('saving');
  breaking('loading');
  expect(lines).toHaveLength(2);
  vi.advanceTimersByTime(60_000);
  breaking('saving');
  expect(lines).toHaveLength(3);
});

it('bears a logger that throws', () => {
  const refuse = () => {
    throw new Error('no log today');
  };
  const logger = { error: refuse, warn: refuse, info: refuse, debug: refuse, verbose: refuse };
  diag.setLogger(logger, { suppressOverrideMessage: true });
  expect(breaking('writing')).toBeUndefined();
});
