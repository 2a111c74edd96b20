import { Problems } from '../problems.ts';
import type { TraceSource } from './traces.ts';

interface Node {
  readonly parent: string;
  readonly rolloutId: string | undefined;
}

/**
 * The rollouts of events whose trace holds spans of several rollouts: that of the nearest span above each sighting.
 * Reads files once more, and those traces of a backend, because the spans' parents were not kept. An id without a
 * rollout above it is left out: one rollout's omitted report must not explain the loss of another one's.
 *
 * @param eventIds - the events, each with its traces
 */
export async function rolloutsByAncestry(
  sources: readonly TraceSource[],
  eventIds: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const nodes = new Map<string, Node>();
  const seen: { readonly eventId: string; readonly traceId: string; readonly at: Node }[] = [];
  // What cannot be read was told of the first time.
  const quiet = new Problems(() => {});
  const traceIds = new Set([...eventIds.values()].flat());
  for (const source of sources) {
    for await (const spans of source.backend?.spansOfTraces(traceIds) ?? source.spans(quiet)) {
      for (const { traceId, spanId, parentSpanId, rolloutId, sightings } of spans) {
        const at = { parent: parentSpanId, rolloutId };
        if (spanId !== '') nodes.set(`${traceId}/${spanId}`, at);
        for (const { eventId } of sightings) if (eventIds.has(eventId)) seen.push({ eventId, traceId, at });
      }
    }
  }
  const found = new Map<string, Set<string>>();
  const known = new Map<Node, string | undefined>();
  for (const { eventId, traceId, at } of seen) {
    const rolloutId = nearestRollout(at, traceId, nodes, known);
    if (rolloutId === undefined) continue;
    const ids = found.get(eventId) ?? new Set();
    found.set(eventId, ids.add(rolloutId));
  }
  return found;
}

/** Each span is passed once, however many are below it; parents that lead back to themselves have none. */
function nearestRollout(
  start: Node,
  traceId: string,
  nodes: ReadonlyMap<string, Node>,
  known: Map<Node, string | undefined>,
): string | undefined {
  const passed = new Set<Node>();
  let at: Node | undefined = start;
  while (at !== undefined && at.rolloutId === undefined && !known.has(at) && !passed.has(at)) {
    passed.add(at);
    at = nodes.get(`${traceId}/${at.parent}`);
  }
  const rolloutId = at === undefined ? undefined : (at.rolloutId ?? known.get(at));
  for (const node of passed) known.set(node, rolloutId);
  return rolloutId;
}
