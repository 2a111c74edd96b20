import { readFileSync } from 'node:fs';
import { z } from 'zod';

const headers = z.record(z.string(), z.string());
const named = { name: z.string() };

/** The cases of one file of this folder. */
function cases<T>(file: string, shape: z.ZodType<T>): T[] {
  const found: unknown = JSON.parse(readFileSync(new URL(`./${file}.json`, import.meta.url), 'utf8'));
  return z.array(shape).min(1).parse(found);
}

export const headerDecodeCases = cases('header-decode', z.object({ ...named, headers, report: z.unknown() }));

export const headerEncodeCases = cases(
  'header-encode',
  z.object({ ...named, report: z.unknown(), headers, stream_value: z.unknown() }),
);

export const rowCases = cases(
  'rows',
  z.object({
    ...named,
    row: z.record(z.string(), z.unknown()),
    reports: z.array(z.unknown()),
    saved: z.unknown(),
    merged: z.unknown(),
  }),
);

export const requestLogCases = cases(
  'request-log',
  z.object({ ...named, adds: z.array(z.unknown()), report: z.unknown(), dropped_events: z.number() }),
);
