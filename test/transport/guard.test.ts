import { type DiagLogger, DiagLogLevel, diag } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { guarded } from '../../src/transport/guard.ts';

const lines: string[] = [];
const ignore = (): void => {};
const logger: DiagLogger = {
  error: (line) => void lines.push(line),
  warn: ignore,
  info: ignore,
  debug: ignore,
  verbose: ignore,
};

beforeEach(() => {
  vi.useFakeTimers();
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  lines.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  diag.disable();
});

function fail(what: string, error: unknown): unknown {
  return guarded(what, () => {
    throw error;
  });
}

describe('guarded', () => {
  it('gives back what the work gives back', () => {
    expect(guarded('work', () => 7)).toBe(7);
    expect(lines).toEqual([]);
  });

  it('tells of a fault in one line, and of the same work again only after a minute', () => {
    expect(fail('this work', new Error('broken'))).toBeUndefined();
    fail('this work', new Error('broken again'));
    fail('other work', new Error('broken too'));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^opentelemetry-instrumentation-nemo-gym: this work failed; .*broken\)$/);
    vi.advanceTimersByTime(59_999);
    fail('this work', new Error('still'));
    expect(lines).toHaveLength(2);
    vi.advanceTimersByTime(1);
    fail('this work', new Error('later'));
    expect(lines[2]).toContain('later');
  });

  it('tells of a text from elsewhere in one line that a log only shows', () => {
    fail('forging', new Error('broken\n2026-01-01 ERROR forged\r\x1b[2K\x9b31m'));
    expect(lines).toEqual([expect.stringMatching(/^[ -~]*\(broken 2026-01-01 ERROR forged .*\)$/)]);
  });

  it('bears faults that cannot be shown and loggers that throw', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    fail('hiding work', revoked.proxy);
    fail('nothing work', null);
    expect(lines).toHaveLength(2);
    diag.setLogger(
      {
        ...logger,
        error: () => {
          throw new Error('no log');
        },
      },
      { suppressOverrideMessage: true },
    );
    expect(fail('unlogged work', new Error('x'))).toBeUndefined();
  });
});
