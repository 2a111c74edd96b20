import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import { readMaxHeaderBytes } from '../transport/header-limit.ts';

/** How served requests are treated. */
export interface NgFailureServerConfig {
  /**
   * Most bytes of the `X-NG-Failure-Report` header's value; a longer report is sent as `{"omitted":true}`. An integer
   * 16–4,096, default 4,096. Lower it behind a proxy that refuses long headers: nginx with a 4 KiB `proxy_buffer_size`
   * answers 502 to a full report.
   */
  maxHeaderBytes?: number;
}

/** How failures show on spans. Nothing here changes a report. */
export interface NgFailureMirrorConfig {
  /**
   * Whether the span event of a failure that was raised in this process has `exception.stacktrace`, its causes included.
   * A stack never enters a report. Default: true.
   */
  stackTraces?: boolean;
}

/** Options of `NgFailureInstrumentation`. */
export interface NgFailureInstrumentationConfig extends InstrumentationConfig {
  /** Whether it acts: replies carry reports, calls are observed, failures show on spans. Default: true. */
  enabled?: boolean;
  /** How served requests are treated. */
  server?: NgFailureServerConfig;
  /** How failures show on spans. */
  mirror?: NgFailureMirrorConfig;
}

/** The options with every default filled in. */
export interface Settings {
  readonly enabled: boolean;
  readonly maxHeaderBytes: number;
  readonly stackTraces: boolean;
}

/** Reads what a user gave. A value that cannot be used is one diagnostic line and the default: telemetry never breaks a start. */
export function readSettings(config: NgFailureInstrumentationConfig): Settings {
  return {
    enabled: config.enabled !== false,
    maxHeaderBytes: readMaxHeaderBytes(config.server?.maxHeaderBytes),
    stackTraces: config.mirror?.stackTraces !== false,
  };
}
