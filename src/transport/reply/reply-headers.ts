import { HEADER_NAME } from '../../records/wire.ts';

const LOWER_NAME = HEADER_NAME.toLowerCase();

/** Whether `name` is the report header's, in any letter case. */
export function isReportHeader(name: unknown): boolean {
  return typeof name === 'string' && name.length === LOWER_NAME.length && name.toLowerCase() === LOWER_NAME;
}

/**
 * The headers among `writeHead`'s arguments, which are `(status, message?, headers?)`, as Node finds them: a second
 * argument that is no text is the headers, unless there is a third.
 */
export function headersArgument(args: readonly unknown[]): unknown {
  return typeof args[1] === 'string' ? args[2] : (args[2] ?? args[1]);
}

/** The same arguments with other headers. */
export function withHeadersArgument(args: readonly unknown[], headers: unknown): unknown[] {
  return typeof args[1] === 'string' ? [args[0], args[1], headers] : [args[0], headers];
}

/** Adds the report header's values in an argument of `writeHead`: an object, a flat array, or an array of pairs. */
export function addReportValues(values: string[], headers: unknown): void {
  if (Array.isArray(headers)) {
    for (const [name, value] of pairsOf(headers)) if (isReportHeader(name)) addValues(values, value);
  } else if (typeof headers === 'object' && headers !== null) {
    for (const name of Object.keys(headers)) if (isReportHeader(name)) addValues(values, Reflect.get(headers, name));
  }
}

/** Adds what a header is set to, one value or several. */
export function addValues(values: string[], value: unknown): void {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item === 'string' || typeof item === 'number') values.push(String(item));
  }
}

/**
 * A copy of `headers` in their own form in which the report header stands once, with `value`. The form must stay: on
 * Node 20 one `setHeader` beside an array makes `writeHead` lose the app's second cookie (nodejs/node#50387).
 */
export function withReportHeader(headers: object, value: string): object {
  if (!Array.isArray(headers)) {
    const copy: Record<string, unknown> = { ...headers };
    for (const name of Object.keys(copy)) if (isReportHeader(name)) delete copy[name];
    copy[HEADER_NAME] = value;
    return copy;
  }
  const others = pairsOf(headers).filter(([name]) => !isReportHeader(name));
  const all = [...others, [HEADER_NAME, value]];
  return Array.isArray(headers[0]) ? all : all.flat(1);
}

/** A copy of `headers` in their own form without the report header. */
export function withoutReportHeader(headers: object): object {
  if (!Array.isArray(headers)) {
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !isReportHeader(name)));
  }
  const others = pairsOf(headers).filter(([name]) => !isReportHeader(name));
  return Array.isArray(headers[0]) ? others : others.flat(1);
}

function pairsOf(headers: readonly unknown[]): (readonly unknown[])[] {
  if (Array.isArray(headers[0])) return headers.map((entry) => (Array.isArray(entry) ? entry : [entry]));
  const pairs: unknown[][] = [];
  for (let index = 0; index < headers.length; index += 2) pairs.push(headers.slice(index, index + 2));
  return pairs;
}
