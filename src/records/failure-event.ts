import { z } from 'zod';
import { isPlainObject, type JsonObject } from './json.ts';
import { isKnownKind, readFailureKind } from './kinds.ts';
import { faultAt, place, shown } from './text.ts';
import { BOUNDARIES, HTTP_STATUS_MAX, HTTP_STATUS_MIN, STAGES } from './wire.ts';

/** Who observed a failure. */
export type FailureBoundary = (typeof BOUNDARIES)[number];
/** In which part of an episode it was observed. */
export type FailureStage = (typeof STAGES)[number];

/** What an adapter chose from a third-party error: never its request, body or credentials. */
export interface SdkErrorDetails {
  /** Name of the error's type; data only, never looked up. Not empty. */
  readonly exception_type: string;
  /** Its message, at most 500 code points when written. */
  readonly message: string;
  /** The HTTP status the error tells of, 100–599. */
  readonly http_status?: number;
}

// An interface that extends JsonObject would not compile for users without exactOptionalPropertyTypes (TS2411).

/** Observed facts of a model request; a member that is absent was not observed. */
export type ModelFailureDetails = JsonObject & {
  /** Name of the model that was asked. */
  readonly model?: string;
  /** Which attempt of the call it was. */
  readonly attempt?: number;
  /** The provider's id of the request. */
  readonly request_id?: string;
  /** The provider's code of the error. */
  readonly provider_code?: string;
  /** Seconds. */
  readonly retry_after_s?: number;
  /** Milliseconds. */
  readonly elapsed_ms?: number;
};

/** Observed facts of a sandbox; a member that is absent was not observed, and nothing is inferred. */
export type SandboxFailureDetails = JsonObject & {
  /** Names the sandbox. */
  readonly sandbox_id?: string;
  /** Names the command inside the sandbox. */
  readonly execution_id?: string;
  /** Who runs the sandbox. */
  readonly provider?: string;
  /** Why the provider says it ended, in its words. */
  readonly provider_status_reason?: string;
  /** As the command left it. */
  readonly exit_code?: number;
};

/** One failure that one boundary observed, in its wire form. */
export interface FailureEvent {
  /** Names the event everywhere: in reports, rows and traces. Not empty. */
  readonly event_id: string;
  /** Who observed it. */
  readonly boundary: FailureBoundary;
  /** Registered, or namespaced `<server>:<kind>`. */
  readonly failure_kind: string;
  /** Text for people, at most 2,000 code points when written. */
  readonly failure_reason: string;
  /** In which part of an episode it was observed. */
  readonly stage?: FailureStage;
  /** What the boundary was doing, e.g. `responses`, `verify`, `run`. */
  readonly operation?: string;
  /** Status of this operation only, 100–599. */
  readonly http_status?: number;
  /** `event_id` of the explicit cause, in the same report. */
  readonly cause_id?: string;
  /** Chosen facts of the third-party error nearest below it. */
  readonly foreign_error?: SdkErrorDetails;
  /** Observed facts. */
  readonly details?: ModelFailureDetails | SandboxFailureDetails | JsonObject;
}

const httpStatusSchema = z.int().min(HTTP_STATUS_MIN).max(HTTP_STATUS_MAX);

const sdkErrorDetailsSchema = z.looseObject({
  exception_type: z.string().min(1),
  message: z.string(),
  http_status: httpStatusSchema.optional(),
});

export const failureEventSchema = z.looseObject({
  event_id: z.string().min(1),
  boundary: z.enum(BOUNDARIES),
  failure_kind: z.string().refine(isKnownKind, 'neither registered nor of the form <server>:<kind>'),
  failure_reason: z.string(),
  stage: z.enum(STAGES).optional(),
  operation: z.string().optional(),
  http_status: httpStatusSchema.optional(),
  cause_id: z.string().min(1).optional(),
  foreign_error: sdkErrorDetailsSchema.optional(),
  details: z.custom<JsonObject>(isPlainObject, 'expected an object').optional(),
});

const boundaries: ReadonlySet<unknown> = new Set(BOUNDARIES);
const stages: ReadonlySet<unknown> = new Set(STAGES);

/** Whether `value` is a status that an event may have. */
export function isHttpStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= HTTP_STATUS_MIN && value <= HTTP_STATUS_MAX;
}

/**
 * Whether `value` is an event in its common form. It is a shortcut past zod, which on every header would cost more
 * than parsing it: what it accepts zod accepts too (a property test holds both together), the rest zod judges.
 */
export function isCommonEvent(value: unknown, id: string): value is FailureEvent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const event = value as Partial<FailureEvent>;
  if (event.event_id !== id || id === '' || !boundaries.has(event.boundary)) return false;
  if (!isKnownKind(event.failure_kind) || typeof event.failure_reason !== 'string') return false;
  for (const key in value) {
    switch (key) {
      case 'event_id':
      case 'boundary':
      case 'failure_kind':
      case 'failure_reason':
        break;
      case 'stage':
        if (!stages.has(event.stage)) return false;
        break;
      case 'operation':
        if (typeof event.operation !== 'string') return false;
        break;
      case 'http_status':
        if (!isHttpStatus(event.http_status)) return false;
        break;
      case 'cause_id':
        if (typeof event.cause_id !== 'string' || event.cause_id === '') return false;
        break;
      case 'foreign_error':
        if (!isCommonForeignError(event.foreign_error)) return false;
        break;
      case 'details':
        if (!isPlainObject(event.details)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

function isCommonForeignError(value: SdkErrorDetails | undefined): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (typeof value.exception_type !== 'string' || value.exception_type === '') return false;
  if (typeof value.message !== 'string') return false;
  for (const key in value) {
    if (key === 'exception_type' || key === 'message') continue;
    if (key !== 'http_status' || !isHttpStatus(value.http_status)) return false;
  }
  return true;
}

/**
 * An event read from JSON data under the map key `id`: members that are `null` are dropped, an absent `event_id` is
 * the key, an unknown plain kind moves into the `unregistered:` namespace, unknown members stay. `value` must be frozen
 * in depth already; what this makes anew is frozen too.
 *
 * @throws TypeError naming the member and the value
 */
export function readEvent(value: unknown, id: string): FailureEvent {
  if (isCommonEvent(value, id)) return value;
  const path = `events.${id}`;
  if (!isPlainObject(value)) throw faultAt(path, `expected an object, got ${shown(value)}`);
  const event: Record<string, unknown> = withoutNulls(value);
  event.event_id ??= id;
  if (isPlainObject(event.foreign_error)) event.foreign_error = Object.freeze(withoutNulls(event.foreign_error));
  const kind = event.failure_kind;
  if (typeof kind === 'string') event.failure_kind = readFailureKind(kind) ?? kind;
  if (isFailureEvent(event, path)) return Object.freeze(event);
  throw faultAt(path, 'not an event');
}

/** A copy without the members that are `null`; it keeps a member named `__proto__`. */
function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function isFailureEvent(value: unknown, path: string): value is FailureEvent {
  const result = failureEventSchema.safeParse(value);
  if (!result.success) throw new TypeError(firstIssue(result.error, value, path), { cause: result.error });
  return true;
}

/** The first thing zod has against `value`, with the path and the value itself. */
export function firstIssue(error: z.ZodError, value: unknown, path: string): string {
  const issue = error.issues[0];
  if (issue === undefined) return `${path}: invalid`;
  const where = [place(path), ...issue.path.map(String)].filter((part) => part !== '').join('.');
  const found = issue.path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
  return `${where}: ${issue.message}${issue.message.includes('received') ? '' : `, got ${shown(found)}`}`;
}
