/**
 * An environment server whose episodes run in a pool of worker threads. `postMessage` would make a plain `Error` of a
 * failure and lose its fields: it crosses as data, and is the same chain with the same ids on the other side.
 */
import { once } from 'node:events';
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

const { PORT = '3005', WORKERS = '2', EPISODE_MS = '5000' } = process.env;
const THIS_FILE = fileURLToPath(import.meta.url);

// In a thread: plays an episode, and tells what came of it.
const STEPS = { left: -1, right: 1 };

/** Repeats the moves until the corridor's last place is reached. */
function play({ length = 3, moves = ['right'] }) {
  let at = 0;
  let steps = 0;
  while (at < length - 1) {
    const move = moves[steps % moves.length];
    try {
      at = placeAfter(at, move);
    } catch (cause) {
      const failureReason = `Step ${steps} of the episode failed`;
      const facts = { failureKind: 'corridor:bad_move', failureReason, stage: 'agent', operation: 'step' };
      throw new NgFailureEvent({ boundary: 'environment', ...facts, cause });
    }
    steps += 1;
  }
  return { reward: 1, steps };
}

function placeAfter(at, move) {
  const next = at + STEPS[move];
  if (!(next >= 0)) throw new RangeError(`"${move}" leads from place ${at} to none`);
  return next;
}

parentPort?.on('message', (task) => {
  try {
    parentPort.postMessage({ result: play(task) });
  } catch (error) {
    parentPort.postMessage({ failure: serializeFailure(error) });
  }
});

// In the main thread: a pool whose threads each play one episode at a time. One that ends, however it does, is replaced.
const idle = [];
const waiting = [];

function release(worker) {
  const next = waiting.shift();
  if (next === undefined) idle.push(worker);
  else next(worker);
}

function startWorker() {
  const worker = new Worker(THIS_FILE);
  // Whoever waits for the thread hears of its error too.
  worker.on('error', () => {});
  worker.once('exit', () => {
    if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1);
    startWorker();
  });
  release(worker);
}

async function playInThread(task) {
  const worker = idle.shift() ?? (await new Promise((resolve) => waiting.push(resolve)));
  worker.postMessage(task);
  const [told] = await once(worker, 'message', { signal: AbortSignal.timeout(Number(EPISODE_MS)) }).catch((error) => {
    worker.terminate();
    throw threadFailure(error);
  });
  release(worker);
  if (told.failure !== undefined) throw deserializeFailure(told.failure);
  return told.result;
}

function threadFailure(cause) {
  const isLate = cause.name === 'AbortError';
  return sandboxFailure({
    operation: 'run',
    failureKind: isLate ? 'corridor:episode_timeout' : 'session_lost',
    reason: isLate ? `The episode did not end in ${EPISODE_MS} ms` : 'The thread of the episode died',
    provider: 'worker_threads',
    cause: isLate ? undefined : cause,
  });
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
  for (let count = 0; count < Number(WORKERS); count += 1) startWorker();
  const server = createServer(answer).listen(Number(PORT), '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}`);
  });
}
