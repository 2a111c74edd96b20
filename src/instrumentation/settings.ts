import { diag } from '@opentelemetry/api';
import { shown } from '../records/text.ts';
import type { AcceptReportFrom } from '../transport/believed.ts';
import { readMaxHeaderBytes } from '../transport/reply/header-limit.ts';
import { type CallerRequest, type ReplyPolicy, readPolicy } from '../transport/reply/policy.ts';
import type { Redact } from '../transport/reply/redact.ts';
import { readReplyPolicy } from '../transport/reply/reply-options.ts';
import type { NgFailureInstrumentationConfig, NgFailureMirrorConfig } from './config.ts';
import { readFlag, readSections } from './config-check.ts';

/** The options with every default filled in. A policy that nobody gave is `undefined` and costs nothing. */
export interface Settings {
  readonly enabled: boolean;
  readonly maxHeaderBytes: number;
  readonly replyPolicy: ReplyPolicy | undefined;
  readonly ignoreRequest: ((request: CallerRequest) => boolean) | undefined;
  readonly ignoreReply: ((url: URL) => boolean) | undefined;
  readonly acceptReportFrom: AcceptReportFrom | undefined;
  readonly redact: Redact | undefined;
  readonly spanEvents: boolean;
  readonly logs: boolean;
  readonly metrics: boolean;
  readonly stackTraces: boolean;
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
    diag.warn(`opentelemetry-instrumentation-nemo-gym: mirror.signal is ${shown(given)}; give one of ${known}`);
  }
  const asked = (process.env[SIGNAL_VARIABLE] ?? '').split(',').map((value) => value.trim().toLowerCase());
  if (asked.includes('logs/dup')) return SIGNALS.both;
  return asked.includes('logs') ? SIGNALS.logs : SIGNALS['span-events'];
}

function isSignal(value: unknown): value is keyof typeof SIGNALS {
  return typeof value === 'string' && Object.hasOwn(SIGNALS, value);
}
