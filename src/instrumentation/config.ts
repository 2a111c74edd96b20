import type { Attributes } from '@opentelemetry/api';
import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import type { FailureEvent } from '../records/failure-event.ts';
import type { AcceptReportFrom } from '../transport/believed.ts';
import type { CallerRequest, SendReportTo } from '../transport/reply/policy.ts';
import type { Redact } from '../transport/reply/redact.ts';

/** How served requests are treated. */
export interface NgFailureServerConfig {
  /**
   * Most bytes of the `X-NG-Failure-Report` header's value; a longer report is sent as `{"omitted":true}`. An integer
   * 16–4,096, default 4,096. Lower it behind a proxy that refuses long headers: nginx with a 4 KiB `proxy_buffer_size`
   * answers 502 to a full report.
   */
  maxHeaderBytes?: number;
  /**
   * Which callers get the failure report, in the header and in the events that `withFailureReport` and
   * `failureStreamEvent` make; a report that the app itself set on its reply is taken off too. Asked once a request,
   * when there is something to send. Only `true` is yes: one that throws or gives back a promise says no, and is told on
   * the diagnostic logger. Telemetry shows the failures all the same. Default: every caller.
   */
  sendReportTo?: SendReportTo;
  /**
   * Which requests are left alone, e.g. health checks: no log, no report. Asked at a request's start. One that throws says
   * no. Default: none.
   */
  ignoreRequest?: (request: CallerRequest) => boolean;
}

/** How the replies to this process's own calls are treated. */
export interface NgFailureClientConfig {
  /**
   * Whose replies are believed: the report of any other is as if it were not there, for the hooks as well as for
   * `raiseBoundaryFailure`, `raiseForStatus` and `observedFetch`. What the app hands to `observeReply`, `relayStream` or
   * `FailureHeader.decode` itself is its own decision. Asked for each reply, in the whole process, with the address that
   * it came from; a reply whose address is not known is not believed then, and one that throws says no. Default: every
   * server.
   */
  acceptReportFrom?: AcceptReportFrom;
  /**
   * Which replies the hooks do not look at; the app may still observe them itself. Asked for each reply. One that throws
   * says no. Default: none.
   */
  ignoreRequest?: (url: URL) => boolean;
}

/** As what failure events show in telemetry. */
export type MirrorSignal = 'span-events' | 'logs' | 'both';

/** How failures show in telemetry. Nothing here changes a report. */
export interface NgFailureMirrorConfig {
  /**
   * As what failure events show: span events, log records of the Logs API, or both. Default: what the variable
   * `OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN` asks for (`logs`, or `logs/dup` for both), else `span-events`.
   */
  signal?: MirrorSignal;
  /** Whether failures, lost reports and model operations are counted. Default: true. */
  metrics?: boolean;
  /**
   * Whether a failure that was raised in this process is shown with `exception.stacktrace`, its causes included. A stack
   * never enters a report. It holds the messages of errors, so that it is off by itself where `redact` is set. Default: true
   * without `redact`, false with it.
   */
  stackTraces?: boolean;
  /**
   * Further attributes of an event's span event and log record; this package's own win. It gets the event as `redact` left
   * it. One that throws adds none. Default: none.
   */
  attributesFor?: (event: FailureEvent) => Attributes;
}

/** Options of `NgFailureInstrumentation`. */
export interface NgFailureInstrumentationConfig extends InstrumentationConfig {
  /** Whether it acts: replies carry reports, calls are observed, failures show on spans. Default: true. */
  enabled?: boolean;
  /** How served requests are treated. */
  server?: NgFailureServerConfig;
  /** How the replies to this process's own calls are treated. */
  client?: NgFailureClientConfig;
  /** How failures show in telemetry. */
  mirror?: NgFailureMirrorConfig;
  /**
   * Takes out of events what their readers may not see: `'reply'` is what a caller gets, `'telemetry'` what spans and log
   * records show. What this process keeps, saves and raises stays whole. Default: nothing is taken out.
   */
  redact?: Redact;
}
