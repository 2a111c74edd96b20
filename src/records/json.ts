import { faultAt, shown } from './text.ts';
import { REPORT_MAX_LEVELS } from './wire.ts';

/** What JSON can say. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
/** An object of what JSON can say. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** More values than any report has; a graph of shared objects could otherwise unfold without end. */
const MAX_VALUES = 2_000_000;

/** Whether `value` is an object that JSON writes as `{…}`. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/**
 * Sets an own member whatever its name is: ids are data from other machines, and an assignment to `__proto__` would
 * change the object's prototype instead. Where an app freezes `Object.prototype`, an assignment to `constructor` throws.
 */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key in Object.prototype) {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/**
 * A deep, frozen copy of JSON data, so that nobody else holds what a record keeps. Members that are `undefined` are
 * left out, as JSON leaves them out.
 *
 * @param level - how deep `value` itself stands in a report (the report is level 1)
 * @throws TypeError naming the path and the value where it is not JSON, not well-formed Unicode, or too deep
 */
export function copyJson(value: unknown, path: string, level = 1): JsonValue {
  return copy(value, path, level, { left: MAX_VALUES });
}

function copy(value: unknown, path: string, level: number, budget: { left: number }): JsonValue {
  budget.left -= 1;
  if (budget.left < 0) throw faultAt(path, `over ${MAX_VALUES} values; is it a graph of shared objects?`);
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw faultAt(path, 'text with a lone surrogate; use toWellFormed()');
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw faultAt(path, `${value} has no form in JSON`);
      return value;
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (level > REPORT_MAX_LEVELS) {
        throw faultAt(path, `nested over ${REPORT_MAX_LEVELS} levels`);
      }
      return Array.isArray(value) ? copyArray(value, path, level, budget) : copyObject(value, path, level, budget);
    default:
      throw faultAt(path, `${shown(value)} has no form in JSON`);
  }
}

function copyArray(value: readonly unknown[], path: string, level: number, budget: { left: number }): JsonValue {
  const items: JsonValue[] = [];
  for (let index = 0; index < value.length; index += 1) {
    items.push(copy(value[index], `${path}[${index}]`, level + 1, budget));
  }
  return Object.freeze(items);
}

function copyObject(value: object, path: string, level: number, budget: { left: number }): JsonValue {
  if (!isPlainObject(value)) {
    throw faultAt(path, `an instance of ${value.constructor?.name ?? 'a class'} is not JSON data`);
  }
  const members: Record<string, JsonValue> = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    if (!key.isWellFormed()) throw faultAt(path, 'a key with a lone surrogate; use toWellFormed()');
    setOwn(members, key, copy(member, `${path}.${key}`, level + 1, budget));
  }
  return Object.freeze(members);
}
