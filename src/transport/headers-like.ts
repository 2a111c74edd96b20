/** Headers in any form that people hold. Names in any letter case; a name may have several values. */
export type HeadersLike =
  | Iterable<readonly [string, string | readonly string[] | undefined]>
  | Readonly<Record<string, string | readonly string[] | number | undefined>>;

/** More entries than any headers have: an iterable from elsewhere may never end. */
const MAX_ENTRIES = 10_000;

/**
 * The values that `headers` has under `name`, in their order, names compared without letter case. Whatever else is in
 * there is not looked at; what cannot be read as headers has no values.
 */
export function headerValues(headers: HeadersLike | null | undefined, name: string): string[] {
  if (typeof headers !== 'object' || headers === null) return [];
  const wanted = name.toLowerCase();
  const values: string[] = [];
  let left = MAX_ENTRIES;
  for (const entry of entriesOf(headers)) {
    left -= 1;
    if (left < 0) break;
    if (!Array.isArray(entry) && !isPair(entry)) continue;
    const [key, value]: readonly unknown[] = entry;
    if (typeof key !== 'string' || key.length !== wanted.length || key.toLowerCase() !== wanted) continue;
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) values.push(String(item));
    }
  }
  return values;
}

function entriesOf(headers: object): Iterable<unknown> {
  // A Headers object has one joined value a name; asking for it spares a walk over all the others.
  return isIterable(headers) ? headers : Object.entries(headers);
}

function isIterable(value: object): value is Iterable<unknown> {
  return typeof Reflect.get(value, Symbol.iterator) === 'function';
}

function isPair(value: unknown): value is readonly unknown[] {
  return typeof value === 'object' && value !== null && isIterable(value);
}
