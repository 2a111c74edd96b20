/**
 * A collector: has the agent play each task, reads the reports of each reply, and saves rows that `ng-failures` reads.
 *
 *     node collector.mjs tasks.jsonl rollouts     # adds to rollouts.jsonl and rollouts_failures.jsonl
 */
import { randomUUID } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import {
  explicitCauses,
  FailureHeader,
  FailureReportRow,
  failureReportFor,
  NgFailureEvent,
  StreamFailureReportReader,
} from 'opentelemetry-instrumentation-nemo-gym';

const { AGENT_URL = 'http://127.0.0.1:3003', AGENT_PATH = '/run' } = process.env;
const [tasksFile, name] = process.argv.slice(2);

for (const [index, line] of (await readFile(tasksFile, 'utf8')).trim().split('\n').entries()) {
  const task = JSON.parse(line);
  const ids = { _ng_task_index: index, _ng_rollout_index: 0, _ng_rollout_id: randomUUID() };
  const reports = [];
  const { failed, ...fields } = await play(ids._ng_rollout_id, task, reports).catch((cause) => {
    const failure = noReply(cause);
    reports.unshift(failureReportFor(failure));
    return { failed: true, error: failure.message };
  });
  // The reports become `_ng_failure_events`, `_ng_failure_id` and `_ng_failure_events_omitted`, where there are any.
  const row = FailureReportRow.mergedInto({ ...task, ...fields, ...ids }, ...reports);
  await appendFile(`${name}${failed ? '_failures' : ''}.jsonl`, `${JSON.stringify(row)}\n`);
}

async function play(rolloutId, task, reports) {
  const reply = await fetch(`${AGENT_URL}/ng-rollout/${rolloutId}${AGENT_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(task),
    signal: AbortSignal.timeout(600_000),
  });
  // What happened until the headers left, and of a stream what happened after that: it is in the last event.
  reports.push(FailureHeader.decode(reply.headers));
  const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const reader = new StreamFailureReportReader();
  const chunks = [];
  for await (const chunk of reply.body ?? []) {
    chunks.push(chunk);
    if (isStream) reader.feed(chunk);
  }
  reports.push(reader.finish());
  const text = Buffer.concat(chunks).toString();
  if (reply.status >= 400) return { failed: true, error: `HTTP ${reply.status}` };
  return isStream ? { failed: reader.report?.failureId !== undefined, stream: text } : JSON.parse(text);
}

function noReply(cause) {
  const isRefused = [...explicitCauses(cause)].some(({ code }) => code === 'ECONNREFUSED');
  const failureKind = isRefused ? 'transport_unreachable' : 'transport_peer_drop';
  const failureReason = 'The agent gave no whole reply';
  return new NgFailureEvent({ boundary: 'collection', failureKind, failureReason, operation: 'run', cause });
}
