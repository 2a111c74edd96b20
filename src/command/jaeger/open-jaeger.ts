import { type Arguments, UsageError } from '../arguments.ts';
import { oneLine } from '../text.ts';
import { JaegerApi } from './jaeger-api.ts';
import { JAEGER_OPTIONS } from './jaeger-options.ts';

const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS };
/** What is read without `--since`. */
const LOOK_BACK_MS = 24 * HOUR_MS;
/** The end without `--until`: the clocks of the servers may be fast. */
const AHEAD_MS = HOUR_MS;
const MAX_TIMEOUT_SECONDS = 3600;

/** The Jaegers that a command line names, and which of their traces. */
export interface OpenJaeger {
  readonly apis: readonly JaegerApi[];
  /** Microseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** Absent: all. */
  readonly services?: readonly string[];
}

/**
 * Reads the options that are about Jaeger.
 *
 * @param addresses - what `--jaeger` says; empty where it is not given
 * @throws UsageError that names the option and what is valid
 */
export function openJaeger({ values }: Arguments, addresses: readonly string[], now = Date.now()): OpenJaeger {
  if (addresses.length === 0) {
    const alone = Object.keys(JAEGER_OPTIONS).find((name) => values.has(name));
    if (alone !== undefined) throw new UsageError(`--${alone} is about Jaeger; name it with --jaeger URL`);
  }
  const timeoutSeconds = seconds(values.get('timeout')?.at(-1));
  const options = timeoutSeconds === undefined ? {} : { timeoutSeconds };
  const apis = addresses.map((address) => new JaegerApi({ address, ...options }));
  const until = time('until', values.get('until')?.at(-1), now) ?? now + AHEAD_MS;
  const since = time('since', values.get('since')?.at(-1), now) ?? Math.min(now, until) - LOOK_BACK_MS;
  if (since >= until) {
    const times = `${new Date(since).toISOString()} is not before ${new Date(until).toISOString()}`;
    throw new UsageError(`--since must be before --until: ${times}`);
  }
  const services = values.get('service');
  return { apis, start: since * 1000, end: until * 1000, ...(services === undefined ? {} : { services }) };
}

/** Milliseconds since 1970; `undefined` where the option is not given. */
function time(name: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)([smhd])$/.exec(text) ?? [];
  const ago = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  const at = count === undefined ? Date.parse(text) : now - ago;
  if (/^\d{4}-\d\d-\d\d|^\d+(\.\d+)?[smhd]$/.test(text) && at >= 0) return at;
  const valid = '2026-05-04, 2026-05-04T10:00Z, or how long ago, such as 90m, 24h, 7d';
  throw new UsageError(`--${name} is "${oneLine(text, 80)}"; give a time such as ${valid}`);
}

function seconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (value > 0 && value <= MAX_TIMEOUT_SECONDS) return value;
  throw new UsageError(`--timeout is "${oneLine(text, 80)}"; give seconds, up to ${MAX_TIMEOUT_SECONDS}`);
}
