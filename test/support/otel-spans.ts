import { createRequire } from 'node:module';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation, type HttpInstrumentationConfig } from '@opentelemetry/instrumentation-http';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

/** Tracing in this process, with the finished spans in memory. */
export interface Tracing {
  readonly exporter: InMemorySpanExporter;
  readonly provider: TracerProvider;
  /** The finished spans, in the order in which they ended. */
  spans(): ReadableSpan[];
  stop(): void;
}

export function startTracing(): Tracing {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  trace.setGlobalTracerProvider(provider);
  return {
    exporter,
    provider,
    spans: () => exporter.getFinishedSpans(),
    stop: () => {
      context.disable();
      trace.disable();
    },
  };
}

/** instrumentation-http on this process's servers and calls; it patches at the next `require`. */
export function startHttpInstrumentation(
  tracing: Tracing,
  config: HttpInstrumentationConfig = {},
): HttpInstrumentation {
  const instrumentation = new HttpInstrumentation(config);
  instrumentation.setTracerProvider(tracing.provider);
  const require = createRequire(import.meta.url);
  require('node:http');
  require('node:https');
  return instrumentation;
}

/** The failure events on a span, as their attributes. */
export function failureEvents(span: ReadableSpan): Record<string, unknown>[] {
  return span.events.filter(({ name }) => name === 'nemo.gym.failure').map(({ attributes }) => ({ ...attributes }));
}

/** Waits until `check` gives something, looking again every few milliseconds. */
export async function eventually<T>(check: () => T | undefined | false, what: string): Promise<T> {
  for (let waited = 0; waited < 5_000; waited += 5) {
    const found = check();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`waited in vain for ${what}`);
}
