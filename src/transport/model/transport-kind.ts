import { explicitCauses } from '../../failures/cause-chain.ts';
import { safeGet } from '../../failures/foreign-error.ts';
import type { GymFailureKind } from '../../records/kinds.ts';

/** Kinds that say what happened between this process and the server it called. */
export type TransportKind = Extract<GymFailureKind, `transport_${string}`>;

/** What a status or an unknown error of a model call comes to, beside the kinds that every Gym knows. */
export const REQUEST_REJECTED = 'model_client:request_rejected';
export const REQUEST_FAILED = 'model_client:request_failed';

const KIND_OF_CODE: ReadonlyMap<string, TransportKind> = new Map([
  ...codes('transport_unreachable', 'ECONNREFUSED ENOTFOUND EAI_AGAIN EAI_FAIL EAI_NODATA EAI_NONAME EHOSTUNREACH'),
  ...codes('transport_unreachable', 'ENETUNREACH EHOSTDOWN ENETDOWN EPROTO'),
  ...codes('transport_peer_drop', 'ECONNRESET EPIPE ECONNABORTED UND_ERR_SOCKET UND_ERR_RES_CONTENT_LENGTH_MISMATCH'),
  ...codes('transport_peer_drop', 'ERR_STREAM_PREMATURE_CLOSE ERR_HTTP2_STREAM_ERROR ERR_HTTP2_SESSION_ERROR'),
  ...codes('transport_timeout', 'ETIMEDOUT ESOCKETTIMEDOUT ERR_SOCKET_CONNECTION_TIMEOUT'),
  ...codes('transport_timeout', 'UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT'),
  ...codes('transport_local_resource', 'EMFILE ENFILE ENOBUFS ENOMEM EADDRNOTAVAIL EADDRINUSE'),
]);

function codes(kind: TransportKind, list: string): [string, TransportKind][] {
  return list.split(' ').map((code) => [code, kind]);
}

/** Reasons for which no secured connection came about. */
const TLS_CODE = /^(?:CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
/** Replies that are not HTTP, or stop being it. Node 24 gives such an error no code. */
const PARSER_CODE = /^HPE_/;
const PARSER_ERROR = 'HTTPParserError';
/** What `AbortSignal.timeout` aborts with, and what clients name their own timeouts. */
const TIMEOUT_ERROR = 'TimeoutError';
const ABORT_CODES: ReadonlySet<unknown> = new Set(['ABORT_ERR', 'UND_ERR_ABORTED', 'ERR_CANCELED']);
/** More of an `AggregateError` says the same about other addresses. */
const MAX_MEMBERS = 4;

/** The link of an error's chain that says what happened, and what that is. */
export interface TransportEvidence {
  readonly kind: TransportKind;
  readonly link: unknown;
}

/**
 * What the first telling link of `error`'s explicit causes says about the transport; `undefined` where none says
 * anything. It goes by codes and names, and by a message only where a library gives nothing else.
 */
export function transportEvidence(error: unknown): TransportEvidence | undefined {
  let terminated: unknown;
  for (const link of explicitCauses(error)) {
    const kind = kindOfLink(link) ?? kindOfMembers(link);
    if (kind !== undefined) return { kind, link };
    // fetch says no more than this when a body breaks off; what broke it is the cause, mostly.
    if (safeGet(link, 'message') === 'terminated') terminated ??= link;
  }
  return terminated === undefined ? undefined : { kind: 'transport_peer_drop', link: terminated };
}

function kindOfLink(link: unknown): TransportKind | undefined {
  const code = safeGet(link, 'code');
  const name = safeGet(link, 'name');
  if (name === TIMEOUT_ERROR) return 'transport_timeout';
  if (typeof code === 'string') {
    if (code === 'ECONNABORTED' && saysTimeout(link)) return 'transport_timeout';
    const kind = KIND_OF_CODE.get(code);
    if (kind !== undefined) return kind;
    if (PARSER_CODE.test(code)) return 'transport_peer_drop';
    if (TLS_CODE.test(code) || safeGet(link, 'syscall') === 'connect') return 'transport_unreachable';
  }
  return name === PARSER_ERROR ? 'transport_peer_drop' : undefined;
}

/** axios names its timeout like a connection that the system aborted. */
function saysTimeout(link: unknown): boolean {
  const message = safeGet(link, 'message');
  return typeof message === 'string' && /timeout/i.test(message);
}

/** The addresses of one host, tried in turn, each with an error of its own. */
function kindOfMembers(link: unknown): TransportKind | undefined {
  const errors = safeGet(link, 'errors');
  for (let index = 0; Array.isArray(errors) && index < Math.min(errors.length, MAX_MEMBERS); index += 1) {
    const kind = kindOfLink(safeGet(errors, String(index)));
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** Whether `error` ended a call because its own signal asked for it: the caller's wish, or a client's own clock. */
export function isAbort(error: unknown, signal: unknown): boolean {
  if (safeGet(signal, 'aborted') === true && safeGet(signal, 'reason') === error) return true;
  return safeGet(error, 'name') === 'AbortError' || ABORT_CODES.has(safeGet(error, 'code'));
}

/** Whether `error` says that a client's own clock ended the call; its class often says so where its codes do not. */
export function isTimeout(error: unknown): boolean {
  if (transportEvidence(error)?.kind === 'transport_timeout') return true;
  for (const link of explicitCauses(error)) {
    const className = safeGet(safeGet(link, 'constructor'), 'name');
    if (typeof className === 'string' && /Time(?:d)?out/i.test(className)) return true;
  }
  return false;
}

/** Error codes of providers that say that paying would help and waiting would not. */
const QUOTA_CODES: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'quota_exceeded',
]);

/**
 * The kind of a reply's status, 400 or more. 402 and a code that names a quota are `provider_quota_exhausted`; 408,
 * 429 and 5xx are `provider_unavailable` (504 and 408 too: the exchange with the server that answered went well); the
 * others are {@link REQUEST_REJECTED}: the same request would fail again.
 */
export function statusKind(status: number, code?: string | undefined): string {
  if (status === 402 || (status < 500 && code !== undefined && QUOTA_CODES.has(code)))
    return 'provider_quota_exhausted';
  return status === 408 || status === 429 || status >= 500 ? 'provider_unavailable' : REQUEST_REJECTED;
}
