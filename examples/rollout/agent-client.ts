import {
  FailureHeader,
  FailureReport,
  NgFailureEvent,
  observeFailure,
  raiseBoundaryFailure,
  rebuildFailure,
  StreamFailureReportReader,
} from 'opentelemetry-instrumentation-nemo-gym';
import { post, rolloutUrl } from './gym-client.ts';
import { asObject } from './json.ts';
import type { PlannedRollout } from './plan.ts';
import type { Row } from './rows.ts';
import { peer } from './serve.ts';

const AGENT_URL = peer('AGENT_URL');
const RESOURCES_URL = peer('RESOURCES_URL');

/**
 * Has the agent play a rollout. Each report that comes back is told to `onReport`: it is read from the reply's header
 * and from the stream's last event, and from nowhere else, so that rows are the same with and without telemetry.
 *
 * @throws NgFailureEvent the agent's failure, or the collector's own when there is no reply
 */
export async function callAgent(rollout: PlannedRollout, onReport: (report: FailureReport) => void): Promise<Row> {
  if (rollout.script.collector === 'stream') {
    const response = await streamed(rollout, onReport);
    return post(`${rolloutUrl(RESOURCES_URL, rollout._ng_rollout_id)}/verify`, { ...rollout, response });
  }
  const response = await replyOf(rollout, '/run', onReport);
  return asObject(await response.json());
}

async function replyOf(rollout: PlannedRollout, path: string, onReport: (report: FailureReport) => void) {
  const response = await fetch(rolloutUrl(AGENT_URL, rollout._ng_rollout_id) + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rollout),
    signal: AbortSignal.timeout(rollout.timeout_ms),
  }).catch((error: unknown) => {
    throw noReply(error);
  });
  const report = FailureHeader.decode(response.headers);
  if (report !== undefined) onReport(report);
  await raiseBoundaryFailure(response);
  return response;
}

function noReply(cause: unknown): NgFailureEvent {
  const timedOut = cause instanceof DOMException && cause.name === 'TimeoutError';
  const failure = new NgFailureEvent({
    boundary: 'collection',
    failureKind: timedOut ? 'transport_timeout' : 'transport_peer_drop',
    failureReason: timedOut ? 'The agent did not answer in time' : 'The connection to the agent was lost',
    operation: 'run',
    cause,
  });
  observeFailure(failure);
  return failure;
}

/** The response that the agent's stream ends in. */
async function streamed(rollout: PlannedRollout, onReport: (report: FailureReport) => void): Promise<unknown> {
  const reply = await replyOf(rollout, '/v1/responses', onReport);
  const reader = new StreamFailureReportReader();
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of reply.body ?? []) {
    reader.feed(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  const report = reader.finish() ?? FailureReport.EMPTY;
  onReport(report);
  const last = asObject(JSON.parse(text.slice(text.lastIndexOf('\ndata: ') + '\ndata: '.length)));
  if (last.type === 'response.completed') return last.response;
  throw rebuildFailure(report) ?? new Error(`The agent's stream ended in ${JSON.stringify(last.type)}`);
}
