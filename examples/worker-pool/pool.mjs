/**
 * An environment server whose episodes run in a pool of worker threads. `postMessage` would make a plain `Error` of a
 * failure and lose its fields: it crosses as data, and is the same chain with the same ids on the other side.
 */
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import {
  deserializeFailure,
  failRequest,
  NgFailureEvent,
  sandboxFailure,
  serializeFailure,
} from 'opentelemetry-instrumentation-nemo-gym';

const { PORT = '3005', WORKERS = '2' } = process.env;
const THIS_FILE = fileURLToPath(import.meta.url);

// In a thread: plays an episode, and tells what came of it.
const STEPS = { left: -1, right: 1 };

function play({ length = 3, moves = [] }) {
  const visits = Array.from({ length }, () => []);
  let at = 0;
  for (const move of moves) {
    at += STEPS[move] ?? 0;
    try {
      visits[at].push(move);
    } catch (cause) {
      throw new NgFailureEvent({
        boundary: 'environment',
        failureKind: 'corridor:left_the_corridor',
        failureReason: `The move "${move}" led out of the corridor`,
        stage: 'agent',
        operation: 'step',
        cause,
      });
    }
  }
  return { reward: at === length - 1 ? 1 : 0 };
}

parentPort?.on('message', (task) => {
  try {
    parentPort.postMessage({ result: play(task) });
  } catch (error) {
    parentPort.postMessage({ failure: serializeFailure(error) });
  }
});

// In the main thread: a pool whose workers each play one episode at a time. One that dies is replaced.
const idle = [];
const waiting = [];

function release(worker) {
  const next = waiting.shift();
  if (next === undefined) idle.push(worker);
  else next(worker);
}

const startWorker = () => new Worker(THIS_FILE, { resourceLimits: { maxOldGenerationSizeMb: 32 } });

async function playInThread(task) {
  const worker = idle.shift() ?? (await new Promise((resolve) => waiting.push(resolve)));
  const { result, failure, death } = await new Promise((resolve) => {
    worker.once('message', resolve).once('error', (error) => resolve({ death: error }));
    worker.postMessage(task);
  });
  worker.removeAllListeners();
  release(death === undefined ? worker : startWorker());
  if (death !== undefined) {
    const failureKind = death.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'provider_oom_killed' : 'session_lost';
    throw sandboxFailure({ operation: 'run', failureKind, provider: 'worker_threads', cause: death });
  }
  if (failure !== undefined) throw deserializeFailure(failure);
  return result;
}

async function answer(request, response) {
  let [status, body] = [404, 'Not Found'];
  if (request.method === 'POST' && request.url?.endsWith('/run')) {
    try {
      const task = await json(request);
      [status, body] = [200, { ...task, ...(await playInThread(task)) }];
    } catch (error) {
      failRequest(error);
      [status, body] = [500, 'Internal Server Error'];
    }
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

if (isMainThread) {
  for (let count = 0; count < Number(WORKERS); count += 1) release(startWorker());
  const server = createServer(answer).listen(Number(PORT), '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}`);
  });
}
