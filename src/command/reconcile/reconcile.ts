import type { Problems } from '../problems.ts';
import { savedRows } from '../rows/rows.ts';
import { TraceIndex } from '../traces/trace-index.ts';
import type { TraceSource } from '../traces/traces.ts';
import type { Finding, Reconciliation, SampledOutId } from './findings.ts';
import { lookUp, MAX_LOOKUPS } from './lookups.ts';
import { onlyInTraces } from './only-in-traces.ts';
import { RowSide } from './row-side.ts';

/** What is laid side by side. */
export interface ReconcileOptions {
  /** Paths of JSON lines files. */
  readonly rows: readonly string[];
  readonly traces: readonly TraceSource[];
  /** Takes what cannot be read; its bad lines make the result unclean. */
  readonly problems: Problems;
  /** Whether traces were sampled: then the ids of a rollout without any trace are explained. Default: false. */
  readonly sampled?: boolean;
  /** Told how far it is, where that takes long. */
  readonly onProgress?: (text: string) => void;
}

/**
 * Compares the failure ids of saved rows with those of traces, both ways. The traces' ids are held, the rows pass by.
 *
 * @throws UnreadableFileError when a file or source cannot be read at all
 */
export async function reconcile(options: ReconcileOptions): Promise<Reconciliation> {
  const { rows, traces, problems, sampled = false, onProgress = () => {} } = options;
  const backends = traces.map(({ backend }) => backend).filter((backend) => backend !== undefined);
  const index = await TraceIndex.of(traces, problems);
  const maxWaiting = backends.length > 0 ? MAX_LOOKUPS : 0;
  const side = new RowSide({ files: rows, index, problems, maxWaiting });
  for (const [number, file] of rows.entries()) {
    for await (const batch of savedRows(file, problems)) for (const row of batch) side.add(row, number);
  }
  const lookups = backends.length > 0 ? await lookUp({ side, index, backends, onProgress }) : undefined;
  const { explained, missing, ofOthers } = await onlyInTraces(side, index, traces);
  const { findings, sampledOut } = sampled ? withoutSampled(side) : { findings: side.findings, sampledOut: [] };
  const { matchedCount: matched, spanCount: spans, eventCount } = index;
  const eventIds = matched + side.missingIds.size;
  const nothingToCompare =
    sampledOut.length === 0 && eventIds + eventCount === 0 && (side.rowCount === 0 || spans === 0);
  const all = [...findings, ...missing];
  const { badLines, cuts } = problems;
  return {
    clean: all.length === 0 && badLines === 0 && cuts === 0 && !nothingToCompare,
    nothingToCompare,
    rows: { rows: side.rowCount, withReport: side.withReport, omitted: side.omittedCount, eventIds },
    traces: { spans, traces: index.traceCount, eventIds: eventCount },
    matched,
    explained,
    sampledOut,
    backends: traces.filter(({ backend }) => backend !== undefined).map(({ name }) => name),
    otherRollouts: ofOthers,
    lookups,
    findings: all,
    badLines,
    cuts,
  };
}

/** Sorts out the ids of rollouts of which the traces hold nothing, neither a span nor an event. */
function withoutSampled(side: RowSide): { findings: readonly Finding[]; sampledOut: readonly SampledOutId[] } {
  const findings: Finding[] = [];
  const sampledOut: SampledOutId[] = [];
  for (const finding of side.findings) {
    if (finding.finding !== 'missing_in_traces' || finding.traceIds.length > 0 || side.hasTrace(finding.row)) {
      findings.push(finding);
    } else {
      sampledOut.push({ eventId: finding.eventId, row: finding.row });
    }
  }
  return { findings, sampledOut };
}
