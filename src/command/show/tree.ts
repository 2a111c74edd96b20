import type { FailureEvent } from '../../records/failure-event.ts';
import { factsOf, reportFault, type SavedRow } from '../rows/rows.ts';
import { noStyle, oneLine, type Style, type StyleName } from '../text.ts';

/** How trees are drawn. */
export interface TreeOptions {
  /** Default: no colour. */
  readonly style?: Style;
  /** Trace ids by event and rollout, when traces were read. */
  readonly traces?: TraceLookup;
}

/** Where an event or a rollout is found in the traces. */
export interface TraceLookup {
  traceOfEvent(eventId: string): string | undefined;
  traceOfRollout(rolloutId: string): string | undefined;
}

/** Deeper chains go on at this indentation: a report may hold thousands of links. */
const MAX_INDENT = 12;

/** What failed in one row, as lines of text; empty for a row that tells of no failure. */
export function renderTree(row: SavedRow, options: TreeOptions = {}): string {
  if (row.report.isEmpty) {
    const { failure } = factsOf(row);
    return failure === undefined
      ? ''
      : `${headline(row, options)}\n  row says ${oneLine(failure)} (no failure report saved)\n\n`;
  }
  return `${[headline(row, options), ...new TreeOfRow(row, options).lines()].join('\n')}\n\n`;
}

function headline(row: SavedRow, { style = noStyle, traces }: TreeOptions): string {
  const { task, rolloutOfTask, reward } = factsOf(row);
  const trace = row.rolloutId === undefined ? undefined : traces?.traceOfRollout(row.rolloutId);
  const parts = [
    style('bold', `${oneLine(row.file)}:${row.line}`),
    `rollout ${row.rolloutId === undefined ? '(no id)' : oneLine(row.rolloutId)}`,
    task === undefined ? undefined : `task ${oneLine(task)}`,
    rolloutOfTask === undefined ? undefined : `no. ${oneLine(rolloutOfTask)}`,
    reward === undefined ? undefined : `reward ${oneLine(reward)}`,
    trace === undefined ? undefined : `trace ${oneLine(trace)}`,
  ];
  return parts.filter((part) => part !== undefined).join('  ');
}

class TreeOfRow {
  readonly #row: SavedRow;
  readonly #options: TreeOptions;
  readonly #style: Style;
  readonly #drawn = new Set<string>();
  readonly #lines: string[] = [];

  constructor(row: SavedRow, options: TreeOptions) {
    this.#row = row;
    this.#options = options;
    this.#style = options.style ?? noStyle;
  }

  lines(): readonly string[] {
    const { failureId, events, omitted } = this.#row.report;
    const own = failureId === undefined ? undefined : events.get(failureId);
    if (own !== undefined) this.#chain('own failure', 'red', own);
    const { failure } = factsOf(this.#row);
    // A rollout that did not fail went on after these; one that did has them beside its failure.
    const label = own !== undefined ? 'also observed' : failure !== undefined ? 'observed' : 'recovered';
    for (const event of this.#heads()) this.#chain(label, 'yellow', event);
    if (failure !== undefined) this.#lines.push(`  row says ${oneLine(failure)}`);
    if (omitted) this.#lines.push(this.#style('yellow', `  ${this.#omittedNote()}`));
    return this.#lines;
  }

  /** The events that are not yet drawn and that no other one names as its cause. */
  #heads(): readonly FailureEvent[] {
    const left = [...this.#row.report.events.values()].filter((event) => !this.#drawn.has(event.event_id));
    const causes = new Set(left.map((event) => event.cause_id));
    return left.filter((event) => !causes.has(event.event_id));
  }

  #chain(label: string, colour: StyleName, head: FailureEvent): void {
    const trace = this.#options.traces?.traceOfEvent(head.event_id);
    this.#event(1, this.#style(colour, label), head, trace);
    let depth = 2;
    for (let at = this.#causeOf(head); at !== undefined; at = this.#causeOf(at), depth += 1) {
      if (this.#drawn.has(at.event_id)) {
        this.#lines.push(`${indent(depth)}${this.#style('dim', 'caused by')} the one above, ${this.#id(at)}`);
        return;
      }
      this.#event(depth, this.#style('dim', 'caused by'), at, undefined);
    }
  }

  #causeOf(event: FailureEvent): FailureEvent | undefined {
    return event.cause_id === undefined ? undefined : this.#row.report.events.get(event.cause_id);
  }

  #event(depth: number, label: string, event: FailureEvent, trace: string | undefined): void {
    this.#drawn.add(event.event_id);
    const { boundary, failure_kind: kind, stage, operation, http_status: status, foreign_error: foreign } = event;
    let line = `${indent(depth)}${label}  ${boundary}  ${this.#style('bold', oneLine(kind))}`;
    if (stage !== undefined) line += `  stage ${stage}`;
    if (operation !== undefined) line += `  operation ${oneLine(operation, 80)}`;
    if (status !== undefined) line += `  HTTP ${status}`;
    line += `  ${this.#id(event)}`;
    if (trace !== undefined) line += `  trace ${oneLine(trace)}`;
    this.#lines.push(line, `${indent(depth + 2)}${oneLine(event.failure_reason)}`);
    if (foreign === undefined) return;
    const of = foreign.http_status === undefined ? '' : ` (HTTP ${foreign.http_status})`;
    const text = `${oneLine(foreign.exception_type, 80)}${of}: ${oneLine(foreign.message)}`;
    this.#lines.push(`${indent(depth + 2)}foreign error ${text}`);
  }

  #id(event: FailureEvent): string {
    return this.#style('cyan', `event ${oneLine(event.event_id, 80)}`);
  }

  #omittedNote(): string {
    const fault = reportFault(this.#row);
    return fault === undefined
      ? 'evidence was omitted on the way (a report too large, or too many failures); the traces may have it'
      : `the saved report cannot be read and counts as omitted (${oneLine(fault)})`;
  }
}

function indent(depth: number): string {
  return '  '.repeat(Math.min(depth, MAX_INDENT));
}
