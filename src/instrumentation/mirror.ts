import { type Context, context, type Span, SpanStatusCode, trace } from '@opentelemetry/api';
import { boundedText } from '../records/text.ts';
import { REASON_MAX_CHARS } from '../records/wire.ts';
import {
  FAILURES_CHANNEL,
  type FailuresObserved,
  MODEL_OPERATION_CHANNEL,
  type ModelOperationObserved,
  REPLY_CHANNEL,
  type ReplyReported,
} from '../transport/announce.ts';
import { ChannelSubscriptions } from '../transport/channels.ts';
import { redactedEvent } from '../transport/reply/redact.ts';
import { RequestFailureLog } from '../transport/request-log.ts';
import * as names from './attributes.ts';
import { emitFailureRecords, type FailureLogRecord } from './log-records.ts';
import type { FailureMetrics } from './metrics.ts';
import { ObservedEvents } from './observed-events.ts';
import { isTracingSuppressed, serverSpanOf } from './otel-context.ts';
import { ANYWHERE } from './seen.ts';
import type { Settings } from './settings.ts';
import { addFailureEvents } from './span-events.ts';

/** What the mirror asks of the instrumentation it belongs to. */
export interface MirrorHost {
  /** Whether it acts now. */
  isActive(): boolean;
  readonly settings: Settings;
  readonly metrics: FailureMetrics;
  emitLogRecord(record: FailureLogRecord): void;
}

/**
 * Shows in telemetry what transport announces. It only listens: the reports are the same without it. Late failures are
 * shown all the same, as long as a span records: `addEvent` on an ended one is a warning and nothing else.
 */
export class Mirror extends ChannelSubscriptions {
  readonly #host: MirrorHost;
  /** The server span of each request, for what is announced outside of its context. */
  readonly #serverSpans = new WeakMap<RequestFailureLog, Span>();

  constructor(host: MirrorHost) {
    // Only transport sends on these channels, so the types of their messages are its own.
    super('mirroring a failure', {
      [channelName(FAILURES_CHANNEL)]: (message) => this.#onFailures(message as FailuresObserved),
      [channelName(REPLY_CHANNEL)]: (message) => this.#onReply(message as ReplyReported),
      [channelName(MODEL_OPERATION_CHANNEL)]: (message) => this.#onModelOperation(message as ModelOperationObserved),
    });
    this.#host = host;
  }

  #onFailures(observed: FailuresObserved): void {
    const where = observed.context ?? context.active();
    if (!this.#host.isActive() || isTracingSuppressed(where)) return;
    const { settings, metrics } = this.#host;
    const { log } = observed;
    // What is told when a reply breaks off is told anywhere, perhaps while another request is served.
    const elsewhere = observed.context === undefined && log !== undefined && RequestFailureLog.current() !== log;
    const serverSpan = this.#serverSpan(log, elsewhere ? undefined : where);
    const active = trace.getSpan(where);
    const spans = elsewhere ? [serverSpan, active] : [active, serverSpan];
    const span = recordingSpan(...spans);
    const events = new ObservedEvents(observed, settings);
    if (settings.spanEvents && span !== undefined) addFailureEvents(span, events);
    if (settings.logs) {
      // A record needs no span that records.
      const place = span ?? spans.find((candidate) => candidate !== undefined);
      emitFailureRecords((record) => this.#host.emitLogRecord(record), events, {
        scope: place ?? log ?? ANYWHERE,
        context: place === undefined ? where : trace.setSpan(where, place),
      });
    }
    if (settings.metrics) metrics.failures(observed, events, where);
  }

  #onReply(reported: ReplyReported): void {
    const { log, report, sent, rolloutId } = reported;
    // A reply may be written, and always closes, anywhere: only in the request's own context is the span its own.
    const where = reported.context ?? (RequestFailureLog.current() === log ? context.active() : undefined);
    if (!this.#host.isActive() || (where !== undefined && isTracingSuppressed(where))) return;
    const { settings, metrics } = this.#host;
    if (settings.metrics) metrics.reply(reported, where ?? context.active());
    const span = recordingSpan(this.#serverSpan(log, where));
    if (span === undefined) return;
    if (rolloutId !== undefined) span.setAttribute(names.ROLLOUT_ID, rolloutId);
    if (report.isEmpty) return;
    span.setAttribute(names.SPAN_FAILURE_COUNT, report.events.size);
    if (report.omitted || sent === 'omitted') span.setAttribute(names.SPAN_FAILURE_OMITTED, true);
    if (log.droppedEvents > 0) span.setAttribute(names.SPAN_FAILURE_DROPPED, log.droppedEvents);
    const own = report.failureId === undefined ? undefined : report.events.get(report.failureId);
    if (own === undefined) return;
    span.setAttribute(names.SPAN_FAILURE_ID, own.event_id);
    span.setAttribute(names.SPAN_FAILURE_KIND, own.failure_kind);
    span.setAttribute(names.SPAN_FAILURE_BOUNDARY, own.boundary);
    const told = settings.redact === undefined ? own : redactedEvent(own, settings.redact, 'telemetry');
    span.setStatus({ code: SpanStatusCode.ERROR, message: boundedText(told.failure_reason, REASON_MAX_CHARS) });
  }

  #onModelOperation({ operation, log, context: given }: ModelOperationObserved): void {
    const where = given ?? context.active();
    if (!this.#host.isActive() || isTracingSuppressed(where)) return;
    if (this.#host.settings.metrics) this.#host.metrics.operation(operation, log, where);
    const span = recordingSpan(trace.getSpan(where), this.#serverSpan(log, where));
    for (const [member, value] of Object.entries(operation)) span?.setAttribute(names.MODEL_PREFIX + member, value);
  }

  /** The span of the request that `log` belongs to: the one first seen with it. */
  #serverSpan(log: RequestFailureLog | undefined, where: Context | undefined): Span | undefined {
    const known = log === undefined ? undefined : this.#serverSpans.get(log);
    if (known !== undefined || where === undefined) return known;
    const span = serverSpanOf(where);
    if (log !== undefined && span !== undefined) this.#serverSpans.set(log, span);
    return span;
  }
}

/** The first of `spans` that still records. */
function recordingSpan(...spans: (Span | undefined)[]): Span | undefined {
  return spans.find((span) => span?.isRecording() === true);
}

function channelName(channel: { readonly name: string | symbol }): string {
  return String(channel.name);
}
