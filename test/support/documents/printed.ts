/** What differs from one run to the next: event, trace and rollout ids, places of rows, ports, how many spans. */
const OF_A_RUN: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{1,32}…/g, '…'],
  [/\b[0-9a-f]{32}\b/g, 'ID'],
  [/\b[0-9a-f]{8}-t(?=\d)/g, 'ID-t'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID'],
  [/(\.jsonl:)\d+/g, '$1N'],
  [/(?:127\.0\.0\.1|localhost):\d+/g, 'HERE'],
  [/\d+( spans in)/g, 'N$1'],
];

function steady(text: string): string {
  return OF_A_RUN.reduce((given, [what, into]) => given.replace(what, into), text);
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Looks for a document's output in what was printed, in whole lines that follow each other. `…` stands for the rest of a
 * word or line, and alone on its line for any lines; of what differs from run to run only its form is compared.
 *
 * @returns the line that is not there, or that does not follow; `undefined` when all are there
 */
export function lineNotPrinted(shown: string, printed: string): string | undefined {
  const given = `${steady(printed).trimEnd()}\n`;
  let form = '(?:^|\\n)';
  for (const line of steady(shown).trimEnd().split('\n')) {
    form += line.trim() === '…' ? '(?:[^\\n]*\\n)*?' : `${literally(line).replaceAll('…', '[^\\n]*')}\\n`;
    if (!new RegExp(form).test(given)) return line;
  }
  return undefined;
}
