// A bare server in a process of its own, for the benches: `server.mjs VARIANT`, where the variant names what stands
// around it. Tells its port, and at each line of input a number: its CPU microseconds so far (`cpu`), the bytes it holds
// (`memory`), or how many requests are held open (`held`).
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

const [variant = ''] = process.argv.slice(2);
if (variant.includes('http')) {
  const { context, trace } = await import('@opentelemetry/api');
  const { AsyncLocalStorageContextManager } = await import('@opentelemetry/context-async-hooks');
  const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
  const { TracerProvider } = await import('@opentelemetry/sdk-trace');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new TracerProvider());
  new HttpInstrumentation();
}
const gym = variant.includes('ours') ? await import('opentelemetry-instrumentation-nemo-gym') : undefined;
if (gym !== undefined) new gym.NgFailureInstrumentation();

// instrumentation-http patches at this require.
const http = createRequire(import.meta.url)('node:http');
const BODY = Buffer.from('{"ok":true}');
const HEADERS = { 'content-type': 'application/json', 'content-length': BODY.length };
let held = 0;

/** An attempt that a retry replaced, as a model client's wrapper makes it of an SDK's error. */
function makeFailure() {
  const cause = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
  return new gym.NgFailureEvent({
    boundary: 'model',
    failureKind: 'transport_peer_drop',
    failureReason: 'upstream dropped the connection',
    stage: 'agent',
    operation: 'responses',
    httpStatus: 502,
    details: { model: 'policy', attempt: 1 },
    cause,
  });
}

/** What Node alone takes for both errors, once somebody wants to show them. */
function makeStacks() {
  const error = makeFailure();
  return error.stack.length + error.cause.stack.length;
}

const WORK = { '/failing': () => gym.observeFailure(makeFailure()), '/stacks': makeStacks };

const server = http.createServer((request, response) => {
  request.on('data', () => {});
  request.on('end', () => {
    if (request.url === '/held') {
      held += 1;
      response.on('close', () => {
        held -= 1;
      });
      return;
    }
    WORK[request.url]?.();
    response.writeHead(200, HEADERS).end(BODY);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 8192, () => process.stdout.write(`${server.address().port}\n`));

const TELL = {
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  memory: () => {
    for (let time = 0; time < 3; time += 1) globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  held: () => held,
};
createInterface({ input: process.stdin })
  .on('line', (what) => process.stdout.write(`${TELL[what]()}\n`))
  .on('close', () => process.exit());
