import { counted, noStyle, type Style } from '../text.ts';
import type { Chain, ChainLink, Commonest, Example, Outcomes, Summary } from './page/data.ts';

/** Lines of each list that are printed; `--json` prints all. */
const MAX_KINDS = 30;
const MAX_FIRST_CAUSES = 10;
export const MAX_PRINTED_CHAINS = 10;

const OUTCOMES = ['fatal', 'also observed', 'recovered', 'all'] as const;

/** A summary for people. */
export function summaryText(summary: Summary, style: Style = noStyle): string {
  const { rows, events, kinds, firstCauses, chains, jaeger } = summary;
  const lines = [rowsLine(summary), eventsLine(summary)];
  if (events.total === 0) {
    const none = rows.failed + rows.omitted === 0 ? 'no failures' : 'no failure events in the rows';
    return `${[...lines, '', style('green', none)].join('\n')}\n`;
  }
  const head = ['boundary', 'kind', 'stage', ...OUTCOMES];
  const kindRows = kinds.list.map((kind) => [kind.boundary, kind.kind, kind.stage || '-', ...numbers(kind)]);
  lines.push('', style('bold', 'failures'), ...table(head, kindRows.slice(0, MAX_KINDS)));
  lines.push(...remarks(kinds, MAX_KINDS, 'event'));
  const causeRows = firstCauses.list.map((cause) => [cause.boundary, cause.kind, ...numbers(cause)]);
  lines.push(
    '',
    style('bold', 'first causes'),
    ...table(['boundary', 'kind', ...OUTCOMES], causeRows.slice(0, MAX_FIRST_CAUSES)),
  );
  lines.push(...remarks(firstCauses, MAX_FIRST_CAUSES, 'event'));
  lines.push('', style('bold', 'commonest chains'));
  for (const chain of chains.list.slice(0, MAX_PRINTED_CHAINS)) lines.push(...chainLines(chain, style));
  lines.push(...remarks(chains, MAX_PRINTED_CHAINS, 'chain'));
  if (jaeger !== undefined) lines.push('', jaegerLine(jaeger));
  return `${lines.join('\n')}\n`;
}

/** The names along a chain: `boundary/kind` each, the outermost first. */
export function chainName(links: readonly ChainLink[]): string {
  return links.map(({ boundary, kind, more }) => `${boundary}/${kind}${more === true ? ' ← …' : ''}`).join(' ← ');
}

function rowsLine({ rows, badLines }: Summary): string {
  const parts = [
    `${counted(rows.rows, 'row')}: ${count(rows.failed)} failed`,
    `${count(rows.recovered)} recovered`,
    ...(rows.onlyOmitted > 0 ? [`${count(rows.onlyOmitted)} with nothing but omitted evidence`] : []),
    `${count(rows.withoutFailures)} without failures`,
    ...(badLines > 0 ? [`${counted(badLines, 'line')} could not be read`] : []),
  ];
  return parts.join(', ');
}

function eventsLine({ rows, events }: Summary): string {
  const parts = [
    `${counted(events.total, 'event')}: ${count(events.fatal)} fatal`,
    `${count(events.alsoObserved)} also observed`,
    `${count(events.recovered)} recovered`,
    ...(rows.omitted > 0 ? [`evidence omitted in ${counted(rows.omitted, 'row')}`] : []),
  ];
  if (rows.failedWithoutReport === 0) return parts.join(', ');
  return `${parts.join(', ')}; ${count(rows.failedWithoutReport)} of the failed rows name their failure in no report`;
}

function numbers({ fatal, alsoObserved, recovered, total }: Outcomes): string[] {
  return [fatal, alsoObserved, recovered, total].map(count);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Columns of names to the left, of numbers to the right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const textColumns = head.length - OUTCOMES.length;
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [head, ...rows].map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column < textColumns ? cell.padEnd(width) : cell.padStart(width);
    });
    return `  ${cells.join('  ')}`;
  });
}

function chainLines({ links, examples, ...outcomes }: Chain, style: Style): string[] {
  const [example] = examples;
  const parts = [
    ...(outcomes.fatal > 0 ? [style('red', `${count(outcomes.fatal)} fatal`)] : []),
    ...(outcomes.alsoObserved > 0 ? [`${count(outcomes.alsoObserved)} also observed`] : []),
    ...(outcomes.recovered > 0 ? [style('yellow', `${count(outcomes.recovered)} recovered`)] : []),
  ];
  return [
    `  ${chainName(links)}`,
    `      ${parts.join(', ')}`,
    ...(example === undefined ? [] : [`      ${exampleText(example, links[0])}`]),
  ];
}

function exampleText({ file, line, rolloutId = '(no id)', url }: Example, head: ChainLink | undefined): string {
  const where = head?.url ?? url;
  return `for example ${file}:${line} rollout ${rolloutId}${where === undefined ? '' : `  ${where}`}`;
}

function remarks({ list, other }: Commonest<Outcomes>, shown: number, noun: string): string[] {
  const more = list.length - shown;
  const counts = list.slice(shown).reduce((sum, { total }) => sum + total, 0);
  return [
    ...(more > 0 ? [`  and ${count(more)} rarer (${counted(counts, noun)}); --json prints all`] : []),
    ...(other > 0
      ? [`  other: ${counted(other, noun)} of names that are too many to count each; rare ones above may be too low`]
      : []),
  ];
}

function jaegerLine({ base, found, notFound, notAsked }: NonNullable<Summary['jaeger']>): string {
  const parts = [
    `${counted(found, 'id')} found in Jaeger at ${base}`,
    ...(notFound > 0 ? [`${count(notFound)} not there (not sampled, not exported?)`] : []),
    ...(notAsked > 0 ? [`${count(notAsked)} not asked for`] : []),
  ];
  return parts.join(', ');
}
