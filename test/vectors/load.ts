import { readFileSync } from 'node:fs';
import { z } from 'zod';

const headers = z.record(z.string(), z.string());
const named = { name: z.string() };

const shapes = {
  'header-decode': z.array(z.object({ ...named, headers, report: z.unknown() })),
  'header-encode': z.array(z.object({ ...named, report: z.unknown(), headers, stream_value: z.unknown() })),
  rows: z.array(
    z.object({
      ...named,
      row: z.record(z.string(), z.unknown()),
      reports: z.array(z.unknown()),
      saved: z.unknown(),
      merged: z.unknown(),
    }),
  ),
  'request-log': z.array(
    z.object({ ...named, adds: z.array(z.unknown()), report: z.unknown(), dropped_events: z.number() }),
  ),
} as const;

/** The cases of one file of this folder. */
export function vectors<N extends keyof typeof shapes>(file: N): z.infer<(typeof shapes)[N]> {
  const cases: unknown = JSON.parse(readFileSync(new URL(`./${file}.json`, import.meta.url), 'utf8'));
  const parsed = shapes[file].parse(cases);
  if (parsed.length === 0) throw new Error(`${file}.json holds no cases`);
  return parsed;
}
