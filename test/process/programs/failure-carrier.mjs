// Makes a failure, or takes one that it is sent, and tells what it holds: as a worker thread, as a forked child, or
// as a filter of JSON lines.
import { createInterface } from 'node:readline';
import { parentPort } from 'node:worker_threads';
import {
  agentRouteFailure,
  deserializeFailure,
  explicitCauses,
  failureReportFor,
  handledEpisodeFailure,
  isHandledEpisodeFailure,
  NgFailureEvent,
  routeReplyError,
  serializeFailure,
} from 'opentelemetry-instrumentation-nemo-gym';

class ConnectionLost extends TypeError {
  name = 'ConnectionLost';
  status = 502;
}

function makeFailure() {
  const record = {
    event_id: 'from-a-peer',
    boundary: 'model',
    failure_kind: 'transport_peer_drop',
    failure_reason: 'dropped 😀',
    shard: { __proto__: null, index: 3 },
  };
  const model = NgFailureEvent.fromRecord(record, new ConnectionLost('socket hang up'));
  const agent = agentRouteFailure('run', new Error('the client gave up', { cause: model }));
  return handledEpisodeFailure({
    failureKind: 'browser_env:page_crashed',
    failureReason: 'the page crashed',
    stage: 'agent',
    terminal: true,
    partial: { steps: ['open', 'click'] },
    cause: agent,
  });
}

function told(error) {
  return {
    failure: serializeFailure(error),
    report: failureReportFor(error).toJSON(),
    chain: [...explicitCauses(error)].map((link) => `${link.name}: ${link.message}`),
    handled: isHandledEpisodeFailure(error) ? { terminal: error.terminal, partial: error.partial } : null,
    answers: String(routeReplyError(error.cause)),
  };
}

function answer(message) {
  return told(message.failure === undefined ? makeFailure() : deserializeFailure(message.failure));
}

if (parentPort !== null) {
  parentPort.on('message', (message) => parentPort.postMessage(answer(message)));
} else if (process.send !== undefined) {
  process.on('message', (message) => process.send(answer(message)));
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(answer(JSON.parse(line))));
  }
}
