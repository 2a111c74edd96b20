import { readFileSync } from 'node:fs';

/** How many spans the Collector took in, by its own metrics. */
export async function acceptedSpans(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const counts = [...text.matchAll(/^otelcol_receiver_accepted_spans(?:_total)?\{[^}]*\} (\S+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The rollout ids that spans in the Collector's file name. */
export function rolloutsInFile(file: string): Set<string> {
  const text = readFileSync(file, 'utf8');
  const found = text.matchAll(/"key":"nemo\.gym\.rollout\.id","value":\{"stringValue":"([^"]+)"/g);
  return new Set(Array.from(found, ([, id = '']) => id));
}
