import { isHttpStatus, type SdkErrorDetails } from '../records/failure-event.ts';
import { sharedState } from '../records/shared-state.ts';
import { boundedText } from '../records/text.ts';
import { FOREIGN_MESSAGE_MAX_CHARS } from '../records/wire.ts';
import { withoutSecrets } from './secrets.ts';

/** Longest name of an error type that is kept. */
const TYPE_MAX_CHARS = 200;
/** More of a message than can be kept is not even looked at. */
const LOOKED_AT = 8 * FOREIGN_MESSAGE_MAX_CHARS;
/** As many messages of an `AggregateError` say what is wrong. */
const MESSAGES_INSIDE = 4;
/** Names that say less than the class they are inherited by. */
const GENERIC_NAMES: ReadonlySet<string> = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'EvalError',
  'URIError',
  'Object',
  '',
]);

/** A foreign error's facts, in the wire's names or in TypeScript's. */
export type ForeignErrorOption =
  | SdkErrorDetails
  | {
      /** Name of the error's type; not empty. Wire key `exception_type`. */
      readonly exceptionType: string;
      /** Its message; over 500 code points it is cut. */
      readonly message: string;
      /** The HTTP status that the error tells of, 100–599. Wire key `http_status`. */
      readonly httpStatus?: number | undefined;
    };

/** What was chosen from an error before it came here from another thread; choosing again could mask or cut it twice. */
const chosen = sharedState('chosen-facts', () => new WeakMap<object, SdkErrorDetails>());

/**
 * Makes `facts` the ones that {@link sdkErrorDetails} gives for `error`; they are data, so they are bounded again.
 * @internal
 */
export function keepChosenFacts<E extends Error>(error: E, facts: SdkErrorDetails): E {
  const bounded = {
    ...facts,
    exception_type: boundedText(facts.exception_type, TYPE_MAX_CHARS),
    message: boundedText(facts.message, FOREIGN_MESSAGE_MAX_CHARS),
  };
  chosen.set(error, Object.freeze(bounded));
  return error;
}

/**
 * The type, message and HTTP status of an error that is not ours, for `foreign_error`. Its request, body, headers and
 * credentials are not read; what looks like a credential in the message is masked. Works for whatever can be thrown.
 */
export function sdkErrorDetails(error: unknown): SdkErrorDetails {
  const before = typeof error === 'object' && error !== null ? chosen.get(error) : undefined;
  if (before !== undefined) return before;
  const message = boundedText(withoutSecrets(messageOf(error).slice(0, LOOKED_AT)), FOREIGN_MESSAGE_MAX_CHARS);
  const exceptionType = boundedText(typeNameOf(error), TYPE_MAX_CHARS);
  const status = statusOf(error);
  return status === undefined
    ? { exception_type: exceptionType, message }
    : { exception_type: exceptionType, message, http_status: status };
}

/** A member of whatever was thrown; `undefined` where reading it throws. */
export function safeGet(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return undefined;
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

function safeText(value: unknown, key: string): string {
  const text = safeGet(value, key);
  return typeof text === 'string' ? text : '';
}

/** The most telling name: `name`, unless it is a built-in one that a class with a name of its own inherited. */
function typeNameOf(error: unknown): string {
  if (error === null || (typeof error !== 'object' && typeof error !== 'function')) {
    return error === null ? 'null' : typeof error;
  }
  const name = safeText(error, 'name');
  if (typeof error === 'object' && !GENERIC_NAMES.has(name)) return name;
  const className = safeText(safeGet(error, 'constructor'), 'name');
  if (!GENERIC_NAMES.has(className)) return className;
  return name || className || 'Object';
}

function messageOf(error: unknown): string {
  if (typeof error === 'string') return error;
  // The text of a long integer takes time that grows with its square.
  if (typeof error === 'bigint') return BigInt.asIntN(512, error) === error ? String(error) : 'a very long integer';
  if (error === null || (typeof error !== 'object' && typeof error !== 'function')) return String(error);
  const message = safeText(error, 'message');
  return message || messagesInside(safeGet(error, 'errors')) || safeText(error, 'code');
}

/** The messages of an `AggregateError`, which often has none of its own. */
function messagesInside(errors: unknown): string {
  const messages: string[] = [];
  // Whatever stands under `errors`: asking a revoked proxy whether it is an array throws.
  for (let index = 0; index < MESSAGES_INSIDE; index += 1) {
    const message = safeText(safeGet(errors, String(index)), 'message').slice(0, LOOKED_AT);
    if (message !== '' && !messages.includes(message)) messages.push(message);
  }
  return messages.join('; ');
}

/** The status an error tells of, under the names that HTTP clients and SDKs use. */
function statusOf(error: unknown): number | undefined {
  const response = safeGet(error, 'response');
  const candidates = [
    safeGet(error, 'status'),
    safeGet(error, 'statusCode'),
    safeGet(error, 'status_code'),
    safeGet(error, 'http_status'),
    safeGet(error, 'httpStatus'),
    safeGet(response, 'status'),
    safeGet(response, 'statusCode'),
  ];
  return candidates.find(isHttpStatus);
}
