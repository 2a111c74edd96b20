import { shown } from '../records/text.ts';
import type { AcceptReportFrom } from '../transport/believed.ts';
import { tellOfOption } from '../transport/guard.ts';
import { readMaxHeaderBytes } from '../transport/reply/header-limit.ts';
import { type CallerRequest, type ReplyPolicy, readPolicy } from '../transport/reply/policy.ts';
import type { Redact } from '../transport/reply/redact.ts';
import { readReplyPolicy } from '../transport/reply/reply-options.ts';
import type { NgFailureInstrumentationConfig, NgFailureMirrorConfig } from './config.ts';
import { readFlag, readSections } from './config-check.ts';

/** The options with every default filled in. A policy that nobody gave is `undefined` and costs nothing. */
export interface Settings {
  /** Whether it acts. */
  readonly enabled: boolean;
  /** Most bytes of the report header’s value. */
  readonly maxHeaderBytes: number;
  /** What leaves with a reply. */
  readonly replyPolicy: ReplyPolicy | undefined;
  /** Which requests are left alone. */
  readonly ignoreRequest: ((request: CallerRequest) => boolean) | undefined;
  /** Which replies the hooks do not look at. */
  readonly ignoreReply: ((url: URL) => boolean) | undefined;
  /** Whose replies are believed. */
  readonly acceptReportFrom: AcceptReportFrom | undefined;
  /** Takes out of events what their readers may not see. */
  readonly redact: Redact | undefined;
  /** Whether failures show as span events. */
  readonly spanEvents: boolean;
  /** Whether they show as log records. */
  readonly logs: boolean;
  /** Whether they are counted. */
  readonly metrics: boolean;
  /** Whether they show with their stack. */
  readonly stackTraces: boolean;
  /** Further attributes of what they show as. */
  readonly attributesFor: NgFailureMirrorConfig['attributesFor'] | undefined;
}

/** OpenTelemetry's switch for exceptions and their like. */
const SIGNAL_VARIABLE = 'OTEL_SEMCONV_EXCEPTION_SIGNAL_OPT_IN';
const SIGNALS = {
  'span-events': { spanEvents: true, logs: false },
  logs: { spanEvents: false, logs: true },
  both: { spanEvents: true, logs: true },
};

/** Reads what a user gave. A value that cannot be used is one diagnostic line and the default: telemetry never breaks a start. */
export function readSettings(config: NgFailureInstrumentationConfig): Settings {
  const { server, client, mirror } = readSections(config);
  const replyPolicy = readReplyPolicy({ sendReportTo: server?.sendReportTo, redact: config.redact }, 'server.');
  return {
    enabled: readFlag('enabled', config.enabled, true),
    maxHeaderBytes: readMaxHeaderBytes(server?.maxHeaderBytes),
    replyPolicy,
    ignoreRequest: readPolicy('server.ignoreRequest', server?.ignoreRequest),
    ignoreReply: readPolicy('client.ignoreRequest', client?.ignoreRequest),
    acceptReportFrom: readPolicy('client.acceptReportFrom', client?.acceptReportFrom),
    redact: replyPolicy?.redact,
    ...readSignal(mirror?.signal),
    metrics: readFlag('mirror.metrics', mirror?.metrics, true),
    stackTraces: readFlag('mirror.stackTraces', mirror?.stackTraces, replyPolicy?.redact === undefined),
    attributesFor: readPolicy('mirror.attributesFor', mirror?.attributesFor),
  };
}

function readSignal(given: unknown): { readonly spanEvents: boolean; readonly logs: boolean } {
  if (isSignal(given)) return SIGNALS[given];
  if (given !== undefined) {
    const known = Object.keys(SIGNALS).map(shown).join(', ');
    tellOfOption(`mirror.signal is ${shown(given)}; give one of ${known}`);
  }
  const asked = (process.env[SIGNAL_VARIABLE] ?? '').split(',').map((value) => value.trim().toLowerCase());
  if (asked.includes('logs/dup')) return SIGNALS.both;
  return asked.includes('logs') ? SIGNALS.logs : SIGNALS['span-events'];
}

function isSignal(value: unknown): value is keyof typeof SIGNALS {
  return typeof value === 'string' && Object.hasOwn(SIGNALS, value);
}
