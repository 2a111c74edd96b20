/**
 * Loaded before each server's own code: `node --import tsx --import ./telemetry.ts agent.ts`. The servers know nothing
 * of it. Service name and endpoint come from the standard OTEL_* environment variables.
 */
import { register } from 'node:module';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { NgFailureInstrumentation } from 'opentelemetry-instrumentation-nemo-gym';
import { spanName } from './span-name.ts';

// HttpInstrumentation needs this hook to see `import 'node:http'`; NgFailureInstrumentation patches no module.
register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);

const sdk = new NodeSDK({
  traceExporter: new OTLPTraceExporter(),
  instrumentations: [
    // The hooks are for people who look at a trace: without them each span's name is only its method.
    new HttpInstrumentation({
      requestHook: (span, request) => {
        if ('url' in request) span.updateName(spanName(request.method, request.url));
      },
    }),
    new UndiciInstrumentation({
      requestHook: (span, request) => void span.updateName(spanName(request.method, request.path)),
    }),
    new NgFailureInstrumentation(),
  ],
});
sdk.start();

// A server that has closed leaves nothing to do: then the last spans go out, and the process ends by itself.
process.once('beforeExit', () => sdk.shutdown());
