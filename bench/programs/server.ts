/**
 * A bare server in a process of its own, for server.bench.ts: `server.ts VARIANT`, where the variant names what stands
 * around it. Tells its port, and at each line of input the CPU microseconds that it has used.
 */
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { TracerProvider } from '@opentelemetry/sdk-trace';
import { NgFailureInstrumentation } from '../../src/instrumentation/instrumentation.ts';

const [variant = ''] = process.argv.slice(2);
if (variant.includes('http')) {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider());
  new HttpInstrumentation();
}
if (variant.includes('ours')) new NgFailureInstrumentation();

// instrumentation-http patches at this require.
const http: typeof import('node:http') = createRequire(import.meta.url)('node:http');
const BODY = Buffer.from('{"ok":true}');
const server = http.createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () =>
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length }).end(BODY),
  );
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.stdout.write(`${address.port}\n`);
});
createInterface({ input: process.stdin }).on('line', () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${user + system}\n`);
});
process.stdin.on('end', () => process.exit());
