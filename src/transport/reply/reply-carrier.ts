import { sharedSymbol } from '../../records/shared-state.ts';
import { HEADER_NAME } from '../../records/wire.ts';
import { announceReply } from '../announce.ts';
import { guarded, tellFault } from '../guard.ts';
import { announceOwnFailure } from '../observe.ts';
import type { RequestFailureLog } from '../request-log.ts';
import { methodUnder } from './method-under.ts';
import { announceReplyFailures, type ReplyHeader, replyHeader } from './outgoing.ts';
import {
  addReportValues,
  addValues,
  headersArgument,
  withHeadersArgument,
  withoutReportHeader,
  withReportHeader,
} from './reply-headers.ts';
import { rolloutIdOf, SERVED, type ServedRequest } from './served-request.ts';

declare const previousWriteHeadKey: unique symbol;
// As for SERVED: a key needs a type of its own.
const PREVIOUS_WRITE_HEAD: typeof previousWriteHeadKey = sharedSymbol(
  'previous-write-head',
) as typeof previousWriteHeadKey;

type WriteHead = (...args: unknown[]) => unknown;

/** What the carrier needs of a reply; `http.ServerResponse` and `http2.Http2ServerResponse` have it. */
export interface CarriedReply {
  [SERVED]?: ServedRequest | undefined;
  [PREVIOUS_WRITE_HEAD]?: WriteHead;
  readonly headersSent: boolean;
  writeHead(...args: unknown[]): unknown;
  getHeader(name: string): unknown;
  setHeader(name: string, value: string | readonly string[]): unknown;
  removeHeader(name: string): void;
}

/**
 * Makes `response` carry its request's report: every way out (`end`, `write`, `flushHeaders`, `pipe`) goes through an
 * own `writeHead`, and so the report is made at the last moment. Early hints and `100 Continue` go another way.
 */
export function carryReport(response: CarriedReply, served: ServedRequest): void {
  response[SERVED] = served;
  if (Object.hasOwn(response, 'writeHead')) response[PREVIOUS_WRITE_HEAD] = response.writeHead;
  response.writeHead = writeHeadWithReport;
}

function writeHeadWithReport(this: CarriedReply, ...args: unknown[]): unknown {
  const writeHead = this[PREVIOUS_WRITE_HEAD] ?? methodUnder(this, writeHeadOf, writeHeadWithReport);
  const served = this[SERVED];
  // A second writeHead must throw what Node throws; an informational reply is not the one the caller waits for.
  if (served?.log === undefined || this.headersSent || isInformational(args[0])) {
    return Reflect.apply(writeHead, this, args);
  }
  const { log } = served;
  const header = headerToSend(this, served, log, args);
  const result =
    header === undefined ? Reflect.apply(writeHead, this, args) : writeHeadCarrying(this, writeHead, args, header);
  // A closed http2 stream takes writeHead in silence.
  if (this.headersSent) {
    log.replied = true;
    if (header !== undefined) announceLeft(served, log, header);
  }
  return result;
}

function writeHeadOf(reply: CarriedReply): WriteHead {
  return reply.writeHead;
}

function isInformational(status: unknown): boolean {
  return typeof status === 'number' && status >= 100 && status < 200;
}

/** What to send; `undefined` when nothing happened that anybody wants to know. */
function headerToSend(
  reply: CarriedReply,
  served: ServedRequest,
  log: RequestFailureLog,
  args: readonly unknown[],
): ReplyHeader | undefined {
  try {
    const values: string[] = [];
    addValues(values, reply.getHeader(HEADER_NAME));
    addReportValues(values, headersArgument(args));
    if (values.length === 0 && log.isEmpty && served.rolloutPath === undefined) return undefined;
    return replyHeader(log, values);
  } catch (error) {
    tellFault('making the reply header', error);
    return undefined;
  }
}

/** Whatever a wrong call throws without us it throws with us: the app's own arguments have the last word. */
function writeHeadCarrying(reply: CarriedReply, writeHead: WriteHead, args: unknown[], header: ReplyHeader): unknown {
  const { value, isWithheld } = header;
  if (value === undefined && !isWithheld) return Reflect.apply(writeHead, reply, args);
  const before = isWithheld ? undefined : reply.getHeader(HEADER_NAME);
  try {
    return Reflect.apply(writeHead, reply, argumentsWith(reply, args, value));
  } catch (error) {
    if (reply.headersSent) throw error;
    restoreHeader(reply, before);
    const result = Reflect.apply(writeHead, reply, args);
    tellFault('sending the reply header', error);
    header.sent = 'nothing';
    return result;
  }
}

function argumentsWith(reply: CarriedReply, args: unknown[], value: string | undefined): unknown[] {
  const headers = headersArgument(args);
  if (value === undefined) {
    reply.removeHeader(HEADER_NAME);
    const given = typeof headers === 'object' && headers !== null;
    return given ? withHeadersArgument(args, withoutReportHeader(headers)) : args;
  }
  if (typeof headers === 'object' && headers !== null) {
    return withHeadersArgument(args, withReportHeader(headers, value));
  }
  reply.setHeader(HEADER_NAME, value);
  return args;
}

function restoreHeader(reply: CarriedReply, before: unknown): void {
  if (typeof before === 'string' || Array.isArray(before)) reply.setHeader(HEADER_NAME, before);
  else reply.removeHeader(HEADER_NAME);
}

function announceLeft(served: ServedRequest, log: RequestFailureLog, header: ReplyHeader): void {
  guarded('announcing a reply', () => {
    announceReplyFailures(log, header.set);
    announceWhole(served, log, header);
  });
}

function announceWhole(
  served: ServedRequest,
  log: RequestFailureLog,
  { report, sent }: Pick<ReplyHeader, 'report' | 'sent'>,
): void {
  served.announced = report;
  served.announcedDropped = log.droppedEvents;
  const rolloutId = rolloutIdOf(served.rolloutPath);
  if (report.isEmpty && rolloutId === undefined) return;
  announceReply({ log, report, sent, error: log.ownError, rolloutId });
}

/** Whether a reply that ends may have something left to tell. */
export function isUnsettled({ log, rolloutPath }: ServedRequest): boolean {
  return log !== undefined && !(log.isEmpty && (log.replied || rolloutPath === undefined));
}

/**
 * Tells what a reply came to: once more when something happened after its headers left, and for the first time when it
 * broke off before.
 */
export function settleReply(served: ServedRequest): void {
  const { log, announced } = served;
  if (log === undefined || !isUnsettled(served)) return;
  guarded('settling a reply', () => {
    const report = announced === undefined ? log.replyReport() : announced.merge(log.replyReport());
    if (report === announced && log.droppedEvents === served.announcedDropped) return;
    if (!log.replied) announceOwnFailure(log);
    log.replied = true;
    announceWhole(served, log, { report, sent: 'nothing' });
  });
}
