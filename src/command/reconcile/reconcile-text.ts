import type { RowPlace } from '../rows/rows.ts';
import { counted, noStyle, oneLine, type Style } from '../text.ts';
import type { Finding, Reconciliation } from './findings.ts';

/** Findings of one sort that are printed; `--json` prints all. */
const SHOWN_PER_SORT = 100;

const TITLES: Readonly<Record<Finding['finding'], string>> = {
  missing_in_traces: 'missing in traces',
  missing_in_rows: 'missing in rows',
  disagree: 'row and trace disagree',
  several_traces: 'one row, several traces',
};

/** A reconciliation for people: the counts, each finding, and the outcome as the last line. */
export function reconciliationText(result: Reconciliation, style: Style = noStyle): string {
  const { rows, traces } = result;
  const lines = [
    `rows    ${counted(rows.rows, 'row')}, ${rows.withReport} with a report (${rows.omitted} omitted), ` +
      `${counted(rows.eventIds, 'event id')}`,
    `traces  ${counted(traces.spans, 'span')} in ${counted(traces.traces, 'trace')}, ` +
      `${counted(traces.eventIds, 'event id')}`,
    '',
  ];
  const shown = new Map<Finding['finding'], number>();
  for (const finding of result.findings) {
    const count = (shown.get(finding.finding) ?? 0) + 1;
    shown.set(finding.finding, count);
    if (count <= SHOWN_PER_SORT) lines.push(`${style('red', TITLES[finding.finding])}  ${findingText(finding)}`);
  }
  for (const [sort, count] of shown) {
    const more = count - SHOWN_PER_SORT;
    if (more > 0) lines.push(`${TITLES[sort]}: and ${counted(more, 'more', 'more')}; --json prints all`);
  }
  const remarks = remarksOn(result);
  if (result.findings.length + remarks.length > 0 && lines.at(-1) !== '') lines.push('');
  return `${[...lines, ...remarks, outcome(result, style)].join('\n')}\n`;
}

function findingText(finding: Finding): string {
  switch (finding.finding) {
    case 'missing_in_traces': {
      const { eventId, row, traceIds } = finding;
      const where = traceIds.length > 0 ? traceList(traceIds) : 'no trace of this rollout (not sampled, not exported?)';
      return `${event(eventId)}  ${place(row)}  ${where}`;
    }
    case 'missing_in_rows': {
      const { eventId, traceIds, rolloutIds, rows } = finding;
      const where = rows.length > 0 ? rows.map(place).join(', ') : noRow(rolloutIds);
      return `${event(eventId)}  ${where}  ${traceList(traceIds)}`;
    }
    case 'disagree': {
      const { eventId, row, traceId, member, inRow, inTrace } = finding;
      const sides = `${member}: row says ${side(inRow)}, trace says ${side(inTrace)}`;
      return `${event(eventId)}  ${sides}  ${place(row)}  ${traceList([traceId])}`;
    }
    case 'several_traces': {
      const { row, traces } = finding;
      const list = traces.map(({ traceId, eventId }) => `${traceList([traceId])} has ${event(eventId)}`).join(', ');
      return `${place(row)}  ${list}  (${NO_PARENT})`;
    }
  }
}

/** What has this effect most of the time. */
const NO_PARENT = 'is a caller without instrumentation-undici or -http, so that no traceparent is sent?';

/** What is no finding, and what to do about findings. */
function remarksOn({ findings, sampledOut, otherRollouts, lookups, nothingToCompare }: Reconciliation): string[] {
  const remarks: string[] = [];
  if (sampledOut.length > 0) {
    remarks.push(`${idsOfRollouts(sampledOut)} have no trace: sampled out`);
  } else if (!nothingToCompare) {
    const untraced = findings.filter((found) => found.finding === 'missing_in_traces' && found.traceIds.length === 0);
    const rows = untraced.flatMap((found) => (found.finding === 'missing_in_traces' ? [{ row: found.row }] : []));
    if (rows.length > 0) remarks.push(`${idsOfRollouts(rows)} have no trace; if traces were sampled, say --sampled`);
  }
  if (otherRollouts > 0) remarks.push(`${counted(otherRollouts, 'id')} of other rollouts in Jaeger left out`);
  if (lookups !== undefined && lookups.traces > 0) {
    const found = `${counted(lookups.traces, 'trace')} found by the ids of rows, outside of the time that was read`;
    remarks.push(`${found}; --since TIME reads further back`);
  }
  if (lookups !== undefined && lookups.notAsked > 0) {
    const left = `${counted(lookups.notAsked, 'missing id')} looked for only in the time that was read`;
    remarks.push(`${left}, those of the first ${counted(lookups.rows, 'row')} one by one too`);
  }
  return remarks;
}

function idsOfRollouts(ids: readonly { readonly row: RowPlace }[]): string {
  const rollouts = new Set(ids.map(({ row }) => row.rolloutId ?? `${row.file}:${row.line}`));
  return `${counted(ids.length, 'id')} of ${counted(rollouts.size, 'rollout')}`;
}

function outcome(result: Reconciliation, style: Style): string {
  const { matched, explained, findings, badLines, cuts } = result;
  const ids = `${counted(matched, 'id')} on both sides`;
  const apart = explained.length === 0 ? '' : `, ${explained.length} only in traces explained by rows that say omitted`;
  if (result.nothingToCompare && badLines + cuts === 0)
    return `${style('red', 'nothing to compare')}: ${emptySides(result)}`;
  if (result.clean && result.rows.eventIds === 0 && explained.length === 0) {
    return `${style('green', 'no failures on either side')}: no row has a failure id, and no span a failure event`;
  }
  if (findings.length + badLines + cuts === 0) {
    if (matched === 0 && result.sampledOut.length > 0) {
      // Sampling nothing looks like asking the wrong Jaeger: that is for the reader to know.
      const empty = result.traces.spans === 0 ? `: ${emptySides(result)}` : '';
      return style('yellow', `no id is left to compare${empty}`);
    }
    const left = result.sampledOut.length > 0 ? 'all other ids on both sides' : 'all ids on both sides';
    return `${style('green', left)} (${matched})${apart}`;
  }
  const parts = [
    ...(findings.length > 0 ? [counted(findings.length, 'finding')] : []),
    ...(badLines > 0 ? [`${counted(badLines, 'line')} could not be read`] : []),
    ...(cuts > 0 ? ['Jaeger did not give all traces'] : []),
  ];
  return `${style('red', parts.join(', '))}; ${ids}${apart}`;
}

function emptySides({ rows, traces, backends }: Reconciliation): string {
  const wanted = 'expected OTLP JSON lines, each {"resourceSpans":[…]}';
  const why = backends.length === 0 ? wanted : 'is it the right Jaeger, and the right time (--since)?';
  const sides = [
    ...(rows.rows === 0 ? ['there is no row'] : []),
    ...(traces.spans === 0 ? [`there is no span; ${why}`] : []),
  ];
  return sides.join(', and ');
}

function event(id: string): string {
  return `event ${oneLine(id, 80)}`;
}

function place({ file, line, rolloutId }: RowPlace): string {
  return `${oneLine(file)}:${line} rollout ${rolloutId === undefined ? '(no id)' : oneLine(rolloutId)}`;
}

function noRow(rolloutIds: readonly string[]): string {
  return rolloutIds.length === 0
    ? 'rollout unknown (no span with it or above it names one)'
    : `no row of rollout ${rolloutIds
        .slice(0, 5)
        .map((id) => oneLine(id))
        .join(', ')}`;
}

function traceList(traceIds: readonly string[]): string {
  return `trace ${traceIds
    .slice(0, 5)
    .map((id) => oneLine(id))
    .join(', ')}${traceIds.length > 5 ? ', …' : ''}`;
}

function side(value: string | null): string {
  return value === null ? 'nothing' : oneLine(value, 80);
}
