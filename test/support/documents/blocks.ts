import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** A command in a sentence: variables, then one of the programs that the documents speak of. */
const IN_A_SENTENCE = /`((?:[A-Z_]+=\S+ )*(?:npm|npx|node|docker|curl|ng-failures|jaeger|otelcol-contrib) [^`]+)`/g;

/** A code block of a document. */
export interface Block {
  readonly document: string;
  /** Of the document, from 1: the line of its first line of code. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
}

/** A command line that a document has: in a block of them, above what it prints, or in a sentence. */
export interface CommandLine {
  readonly document: string;
  readonly text: string;
}

const markdownIn = (folder: string): readonly string[] =>
  readdirSync(`${ROOT}${folder}`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => folder + name);

/** Every document of the project, as a path from its root. */
export const DOCUMENTS = [...markdownIn(''), ...markdownIn('docs/'), ...markdownIn('examples/')];

/** All code blocks of a text. */
export function blocksIn(text: string, document = ''): readonly Block[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(({ index, 1: language = '', 2: code = '' }) => ({
    document,
    line: text.slice(0, index).split('\n').length + 1,
    language,
    text: code,
  }));
}

export const textOf = (document: string): string => readFileSync(`${ROOT}${document}`, 'utf8');

/** All code blocks of all documents. */
export const allBlocks = (): readonly Block[] => DOCUMENTS.flatMap((document) => blocksIn(textOf(document), document));

/** The one block of a document that has `words` in it. */
export function blockWith(document: string, words: string): Block {
  const [found, ...more] = blocksIn(textOf(document), document).filter(({ text }) => text.includes(words));
  if (found === undefined || more.length > 0) {
    throw new Error(`${document} has ${found === undefined ? 'no block' : 'several blocks'} with ${words}`);
  }
  return found;
}

/** The command lines of a block, without what is said beside them. */
export function commandsOf({ language, text }: Block): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/(^|\s+)# .*$/, ''));
  if (language === 'sh') return lines.filter((line) => line !== '');
  return lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
}

/** All command lines of all documents. */
export function allCommands(): readonly CommandLine[] {
  return DOCUMENTS.flatMap((document) => {
    const text = textOf(document);
    const prose = text.replaceAll(/^```.*?^```$/gms, '');
    const inProse = [...prose.matchAll(IN_A_SENTENCE)].map(([, command = '']) => command);
    const inBlocks = blocksIn(text, document).flatMap(commandsOf);
    return [...inBlocks, ...inProse].map((command) => ({ document, text: command }));
  });
}
