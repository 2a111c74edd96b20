import { isError } from '../records/is-error.ts';
import { type JsonObject, type JsonValue, setOwn } from '../records/json.ts';
import { EVENT_LEVEL, REPORT_MAX_LEVELS } from '../records/wire.ts';
import { safeGet, sdkErrorDetails } from './foreign-error.ts';

/** Facts of one failure, not a dump: more values than this are left out. */
const MAX_VALUES = 10_000;
const TOO_DEEP = '[too deep]';

/**
 * Facts that code observed, as JSON data that any reader accepts. It is made while something fails, so it never
 * throws: text is made well-formed, what JSON cannot say is written as text or left out, cycles end at the depth limit. Of
 * an error only its type, message and status are taken, never its request or headers; bytes are left out.
 */
export function observedFacts(details: object): JsonObject {
  const facts = fact(details, EVENT_LEVEL + 1, { left: MAX_VALUES });
  return typeof facts === 'object' && facts !== null && !isList(facts) ? facts : {};
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function fact(value: unknown, level: number, budget: { left: number }): JsonValue | undefined {
  budget.left -= 1;
  if (budget.left < 0) return undefined;
  switch (typeof value) {
    case 'string':
      return value.toWellFormed();
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return BigInt.asIntN(512, value) === value ? String(value) : undefined;
    case 'object':
      return value === null ? null : objectFact(value, level, budget);
    default:
      return undefined;
  }
}

function objectFact(value: object, level: number, budget: { left: number }): JsonValue | undefined {
  if (level > REPORT_MAX_LEVELS) return TOO_DEEP;
  try {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
    if (isError(value)) return objectFact(sdkErrorDetails(value), level, budget);
    // A body, most likely; and its bytes as members would be as many facts.
    if (ArrayBuffer.isView(value)) return undefined;
    if (Array.isArray(value)) {
      const items: JsonValue[] = [];
      for (let index = 0; index < value.length && budget.left > 0; index += 1) {
        items.push(fact(value[index], level + 1, budget) ?? null);
      }
      return Object.freeze(items);
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') return fact(value.toJSON(), level + 1, budget);
    const members: Record<string, JsonValue> = {};
    for (const key of Object.keys(value)) {
      if (budget.left <= 0) break;
      const member = fact(safeGet(value, key), level + 1, budget);
      if (member !== undefined) setOwn(members, key.toWellFormed(), member);
    }
    return Object.freeze(members);
  } catch {
    // A proxy that throws: that fact was not observed.
    return undefined;
  }
}
