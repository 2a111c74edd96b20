import { type SpanParts, span } from './rows-traces.ts';

/** A span in OTLP's JSON form that starts at `startNs`, in nanoseconds since 1970, and its events there too. */
export function timedSpan(parts: SpanParts, startNs: bigint, durationNs = 1_000_000n): object {
  const events = (parts.events ?? []).map((event) => ({ ...event, timeUnixNano: `${startNs}` }));
  const times = { startTimeUnixNano: `${startNs}`, endTimeUnixNano: `${startNs + durationNs}` };
  return { ...span({ ...parts, events }), ...times };
}
