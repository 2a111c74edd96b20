import { channel } from 'node:diagnostics_channel';
import type { Context } from '@opentelemetry/api';
import type { FailureReport } from '../records/failure-report.ts';
import type { ModelOperationObservation } from '../records/model-operation.ts';
import type { RequestFailureLog } from './request-log.ts';

/**
 * Where an event came from: `raised` is the reply's own failure, `attempt` was observed or added here, `forwarded`
 * came with another server's reply.
 */
export type FailureOrigin = 'raised' | 'attempt' | 'forwarded';

/** Failures were observed. */
export interface FailuresObserved {
  readonly report: FailureReport;
  readonly origin: FailureOrigin;
  /** The error of this process whose explicit chain the report is. */
  readonly error?: unknown;
  /** The reply that it came with, where that is known: the same one may be told of several times. */
  readonly source?: object | undefined;
  /** The log of the request in which it was observed. */
  readonly log?: RequestFailureLog | undefined;
  /** Where it was observed, when that is not the active context. */
  readonly context?: Context | undefined;
}

/** A served request's reply is leaving. */
export interface ReplyReported {
  readonly log: RequestFailureLog;
  /** The whole report, before any size limit. */
  readonly report: FailureReport;
  /** What the header said of it. */
  readonly sent: 'nothing' | 'report' | 'omitted';
  /** The request's own failure. */
  readonly error?: unknown;
  /** From the path `/ng-rollout/<rollout_id>/…`. */
  readonly rolloutId?: string | undefined;
  readonly context?: Context | undefined;
}

/** A logical model call ended. */
export interface ModelOperationObserved {
  readonly operation: ModelOperationObservation;
  readonly log?: RequestFailureLog | undefined;
  readonly context?: Context | undefined;
}

const PREFIX = 'opentelemetry-instrumentation-nemo-gym:';

/**
 * Transport knows no telemetry: it tells what it observed here, as Node's own libraries do, and whoever shows it
 * listens. A subscriber must not throw: Node makes an uncaughtException of that.
 */
export const FAILURES_CHANNEL = channel(`${PREFIX}failures`);
export const REPLY_CHANNEL = channel(`${PREFIX}reply`);
export const MODEL_OPERATION_CHANNEL = channel(`${PREFIX}model-operation`);

export function announceFailures(message: FailuresObserved): void {
  if (FAILURES_CHANNEL.hasSubscribers) FAILURES_CHANNEL.publish(message);
}

export function announceReply(message: ReplyReported): void {
  if (REPLY_CHANNEL.hasSubscribers) REPLY_CHANNEL.publish(message);
}

export function announceModelOperation(message: ModelOperationObserved): void {
  if (MODEL_OPERATION_CHANNEL.hasSubscribers) MODEL_OPERATION_CHANNEL.publish(message);
}
