/**
 * State that every copy of this package in a process shares: npm can install two, and ESM can stand beside another
 * version. The version in the name changes when the shape of what is shared does.
 */
const PREFIX = 'opentelemetry-instrumentation-nemo-gym/v1/';

/** A symbol that is the same in every copy. */
export function sharedSymbol(name: string): symbol {
  return Symbol.for(PREFIX + name);
}

/** The process's one value of that name, made by the first copy that asks. */
export function sharedState<T extends object>(name: string, make: () => T): T {
  const key = sharedSymbol(name);
  const holder: { [name: symbol]: T | undefined } = globalThis as never;
  const existing = holder[key];
  if (existing !== undefined) return existing;
  const made = make();
  Object.defineProperty(globalThis, key, { value: made });
  return made;
}
