// Starts what the cell asks for, from an ES module. `node --import ./telemetry.mjs main.mjs` runs it before the server,
// and main.mjs runs it itself where the server listens first.
import { register } from 'node:module';
import telemetry from './telemetry-setup.cjs';

const { cell } = telemetry;
const loaded = {
  api: await import('@opentelemetry/api'),
  pkg: cell.package ? await import('opentelemetry-instrumentation-nemo-gym') : undefined,
};
if (cell.sdk === 'absent') {
  telemetry.start(loaded);
} else {
  register('@opentelemetry/instrumentation/hook.mjs', import.meta.url);
  telemetry.start({
    ...loaded,
    node: await import('@opentelemetry/sdk-node'),
    trace: await import('@opentelemetry/sdk-trace'),
    http: await import('@opentelemetry/instrumentation-http'),
    undici: await import('@opentelemetry/instrumentation-undici'),
  });
}

export const { spans } = telemetry;
