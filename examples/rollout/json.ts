/** @throws TypeError when `value` is not a JSON object */
export function asObject(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`Expected a JSON object, got ${JSON.stringify(value)}`);
  }
  return { ...value };
}
