/**
 * Loaded before the server, as a user's own file would be: `ORDER` says which instrumentation comes first, `SDK=none`
 * leaves NodeSDK out, `ORDER=bare` leaves ours out. The finished spans go to the file `SPANS`.
 */
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import type { SpanContext } from '@opentelemetry/api';
import type { Instrumentation } from '@opentelemetry/instrumentation';

const { ORDER = 'after', SDK = 'node', SPANS = '', OURS = 'opentelemetry-instrumentation-nemo-gym' } = process.env;

interface FinishedSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes: object;
  readonly events: readonly object[];
  readonly parentSpanContext?: SpanContext | undefined;
  spanContext(): SpanContext;
}

/** Ours, once for each copy of the package that `OURS` names. */
async function ours(): Promise<Instrumentation[]> {
  if (ORDER === 'bare') return [];
  const copies: { NgFailureInstrumentation: new () => Instrumentation }[] = [];
  for (const copy of OURS.split(',')) copies.push(await import(copy));
  return copies.map(({ NgFailureInstrumentation }) => new NgFailureInstrumentation());
}

async function withNodeSdk(): Promise<void> {
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  const first = ORDER === 'before' ? await ours() : [];
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const { UndiciInstrumentation } = await import('@opentelemetry/instrumentation-undici');
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { SimpleSpanProcessor } = await import('@opentelemetry/sdk-trace');
  const others = [new HttpInstrumentation(), new UndiciInstrumentation()];
  const instrumentations = ORDER === 'before' ? [...first, ...others] : [...others, ...(await ours())];
  const exporter = {
    export(spans: readonly FinishedSpan[], done: (result: { code: 0 }) => void) {
      for (const span of spans) {
        const { name, kind, attributes, events } = span;
        const { traceId, spanId } = span.spanContext();
        const ids = { traceId, spanId, parentSpanId: span.parentSpanContext?.spanId };
        appendFileSync(SPANS, `${JSON.stringify({ name, kind, attributes, events, ...ids })}\n`);
      }
      done({ code: 0 });
    },
    shutdown: () => Promise.resolve(),
  };
  // A processor waits for what is detected of the host, which on a busy machine takes longer than this server lives.
  const resource = { autoDetectResources: false };
  new NodeSDK({ instrumentations, spanProcessors: [new SimpleSpanProcessor({ exporter })], ...resource }).start();
}

if (SDK === 'none') await ours();
else await withNodeSdk();
