import { type Context, createContextKey, type Span } from '@opentelemetry/api';

// The same keys that OpenTelemetry's core makes: a context key is `Symbol.for` of its name, so core itself, of which a
// tree may hold several copies, need not be imported.
const SUPPRESS_TRACING = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');
const RPC_METADATA = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA');

/** Whether nothing may be traced there; instrumentation-http runs the requests that it ignores like that. */
export function isTracingSuppressed(context: Context): boolean {
  return context.getValue(SUPPRESS_TRACING) === true;
}

/** The span of the request that is served there, however deep the active span is. */
export function serverSpanOf(context: Context): Span | undefined {
  const metadata = context.getValue(RPC_METADATA);
  if (typeof metadata !== 'object' || metadata === null || !('span' in metadata)) return undefined;
  return isSpan(metadata.span) ? metadata.span : undefined;
}

function isSpan(value: unknown): value is Span {
  return typeof value === 'object' && value !== null && 'isRecording' in value && 'setAttributes' in value;
}
