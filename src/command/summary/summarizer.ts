import type { FailureEvent } from '../../records/failure-event.ts';
import { factsOf, type SavedRow } from '../rows/rows.ts';
import { oneLine } from '../text.ts';
import type { Chain, ChainLink, Example, FirstCause, KindCount, Outcomes, RowCounts, Summary } from './page/data.ts';
import { type Outcome, type RowChain, RowChains } from './row-chains.ts';
import { Tally } from './tally.ts';

/** Kinds come from other machines; no honest fleet has so many. */
const MAX_KINDS = 1 << 11;
const MAX_CHAINS = 500;
const MAX_EXAMPLES = 3;
const NAME_MAX_CHARS = 100;
/** Longest id that is shown whole, and that can be looked for. */
export const ID_MAX_CHARS = 200;
const REASON_MAX_CHARS = 300;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type Counts = Mutable<Outcomes>;

/** The rows as they pass by, in numbers; of the rows themselves a few examples stay. */
export class Summarizer {
  readonly #rows: Mutable<RowCounts> = {
    rows: 0,
    failed: 0,
    failedWithoutReport: 0,
    recovered: 0,
    onlyOmitted: 0,
    withoutFailures: 0,
    omitted: 0,
  };
  readonly #events = noOutcomes();
  readonly #kinds = new Tally<Mutable<KindCount>>(MAX_KINDS);
  readonly #firstCauses = new Tally<Mutable<FirstCause>>(MAX_KINDS);
  readonly #chains = new Tally<Counts & { links: readonly ChainLink[]; examples: Example[] }>(MAX_CHAINS);

  add(row: SavedRow): void {
    const { report } = row;
    const { failure } = factsOf(row);
    const counts = this.#rows;
    counts.rows += 1;
    if (report.omitted) counts.omitted += 1;
    if (report.failureId !== undefined || failure !== undefined) {
      counts.failed += 1;
      if (report.failureId === undefined) counts.failedWithoutReport += 1;
    } else if (report.events.size > 0) counts.recovered += 1;
    else if (report.omitted) counts.onlyOmitted += 1;
    else counts.withoutFailures += 1;
    if (report.events.size === 0) return;
    const chains = new RowChains(row);
    for (const event of report.events.values()) this.#addEvent(event, chains.outcomeOf(event));
    for (const chain of chains.chains()) this.#addChain(chain, row);
  }

  /** @param badLines - lines that could not be read */
  summary(files: readonly string[], badLines: number): Summary {
    return {
      files: files.map((file) => oneLine(file)),
      rows: { ...this.#rows },
      events: { ...this.#events },
      kinds: commonest(this.#kinds),
      firstCauses: commonest(this.#firstCauses),
      chains: commonest<Chain>(this.#chains),
      badLines,
    };
  }

  #addEvent({ boundary, failure_kind: kind, stage, cause_id: causeId }: FailureEvent, outcome: Outcome): void {
    count(this.#events, outcome);
    const name = shortName(kind);
    const ofKind = (): Mutable<KindCount> => ({ boundary, kind: name, stage: stage ?? '', ...noOutcomes() });
    count(this.#kinds.entry(`${boundary} ${name} ${stage ?? ''}`, ofKind), outcome);
    if (causeId !== undefined) return;
    const ofCause = (): Mutable<FirstCause> => ({ boundary, kind: name, ...noOutcomes() });
    count(this.#firstCauses.entry(`${boundary} ${name}`, ofCause), outcome);
  }

  #addChain(chain: RowChain, row: SavedRow): void {
    const { links, isCut, outcome } = chain;
    const names = links.map(({ boundary, failure_kind: kind }) => `${boundary} ${shortName(kind)}`);
    const make = () => ({ links: linksOf(chain), examples: [], ...noOutcomes() });
    const entry = this.#chains.entry(`${isCut ? '… ' : ''}${names.join(' ')}`, make);
    count(entry, outcome);
    if (entry.examples.length < MAX_EXAMPLES) entry.examples.push(exampleOf(row));
  }
}

function noOutcomes(): Counts {
  return { fatal: 0, alsoObserved: 0, recovered: 0, total: 0 };
}

function count(counts: Counts, outcome: Outcome): void {
  counts[outcome] += 1;
  counts.total += 1;
}

function commonest<T extends Outcomes>(tally: Tally<T>): { list: readonly T[]; other: number } {
  return { list: tally.sorted(), other: tally.otherCount };
}

/** Nothing of `oneLine` keeps a long text alive that it was cut from. */
function shortName(kind: string): string {
  return oneLine(kind, NAME_MAX_CHARS);
}

function linksOf({ links, isCut }: RowChain): readonly ChainLink[] {
  return links.map((event, place) => {
    const { boundary, failure_kind: kind, stage, operation, http_status: httpStatus, foreign_error: foreign } = event;
    return {
      boundary,
      kind: shortName(kind),
      ...(stage === undefined ? {} : { stage }),
      ...(operation === undefined ? {} : { operation: oneLine(operation, NAME_MAX_CHARS) }),
      ...(httpStatus === undefined ? {} : { httpStatus }),
      eventId: oneLine(event.event_id, ID_MAX_CHARS),
      reason: oneLine(event.failure_reason, REASON_MAX_CHARS),
      ...(foreign === undefined ? {} : { foreignError: foreignText(foreign) }),
      ...(isCut && place === links.length - 2 ? { more: true } : {}),
    };
  });
}

function foreignText(foreign: NonNullable<FailureEvent['foreign_error']>): string {
  const of = foreign.http_status === undefined ? '' : ` (HTTP ${foreign.http_status})`;
  return `${oneLine(foreign.exception_type, NAME_MAX_CHARS)}${of}: ${oneLine(foreign.message, REASON_MAX_CHARS)}`;
}

function exampleOf({ file, line, rolloutId }: SavedRow): Example {
  const id = rolloutId === undefined ? {} : { rolloutId: oneLine(rolloutId, ID_MAX_CHARS) };
  return { file: oneLine(file), line, ...id };
}
