import { isPlainObject } from '../../records/json.ts';
import type { Problems } from '../problems.ts';
import { oneLine } from '../text.ts';
import { type Line, lineBatches } from './lines.ts';

/** One line of a JSON lines file. */
export interface JsonLine {
  /** Counted from 1. */
  readonly number: number;
  readonly value: Record<string, unknown>;
}

/**
 * The objects of a JSON lines file, as many at a time as one read gave. A line that is no JSON object goes to
 * `problems` and is left out.
 *
 * @param faultOf - what is wrong with an object that is none of those wanted
 * @throws UnreadableFileError when the file cannot be opened or a read fails
 */
export async function* jsonLines(
  file: string,
  problems: Problems,
  faultOf: (value: JsonLine['value']) => string | undefined = () => undefined,
): AsyncGenerator<readonly JsonLine[]> {
  let empty = true;
  for await (const lines of lineBatches(file)) {
    empty = false;
    const objects: JsonLine[] = [];
    for (const line of lines) {
      const value = parsed(line);
      const fault = typeof value === 'string' ? value : faultOf(value);
      if (fault !== undefined) problems.badLine(file, line.number, fault);
      else if (typeof value !== 'string') objects.push({ number: line.number, value });
    }
    if (objects.length > 0) yield objects;
  }
  if (empty) problems.note(file, 'is empty');
  problems.endOf(file);
}

/** The line's object, or what is wrong with the line. */
function parsed(line: Line): Record<string, unknown> | string {
  if (line.fault !== undefined) return line.fault;
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    return notJson(line, error);
  }
  if (isPlainObject(value)) return value;
  const what = Array.isArray(value) ? 'an array' : value === null ? 'null' : `a ${typeof value}`;
  const remedy = Array.isArray(value) ? "; an array of rows becomes lines with: jq -c '.[]' FILE" : '';
  return `is ${what}, not a JSON object${remedy}`;
}

function notJson(line: Line, error: unknown): string {
  if (line.open === true) return 'cut off: the file ends inside this line; was its writer stopped or still writing?';
  if (/^\s*[[{]\s*$/.test(line.text)) return 'not JSON by itself; each row must be one line: jq -c . FILE';
  return `not JSON (${oneLine(error instanceof Error ? error.message : String(error), 120)})`;
}
