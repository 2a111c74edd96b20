import type { z } from 'zod';
import type { taskSchema } from './task.ts';

/** One saved row as a story expects it. */
export interface ExpectedRow {
  readonly file: 'results' | 'failures';
  /** Whether the row names a failure as the rollout's own. */
  readonly own: boolean;
  /** Each chain from its outermost event to its cause; see `failuresOf`. */
  readonly chains: readonly string[];
  /** Whether the row says that evidence was lost. Default: false. */
  readonly omitted?: boolean;
}

/** How a rollout goes, who is told to misbehave, and which rows it must leave: one for each attempt, in order. */
export interface Story {
  readonly name: string;
  readonly tells: string;
  readonly task: Omit<z.input<typeof taskSchema>, 'story' | 'responses_create_params' | 'expected_answer'>;
  readonly rows: readonly ExpectedRow[];
}

const result = (...chains: string[]): ExpectedRow => ({ file: 'results', own: false, chains });
/** HTTP attempts at the model that failed: the agent observes each, beside what the whole call came to. */
const attempts = (count: number, kind: string): string[] => Array.from({ length: count }, () => `model/${kind}`);

const failure = (...chains: string[]): ExpectedRow => ({ file: 'failures', own: true, chains });

/** A model attempt with a long report, and then one that succeeds. */
function long(then: 'tool' | 'answer') {
  return ['unavailable_at_length', then] as const;
}

/** An attempt whose reply reported the model server's own failure, which is then its cause. */
const REPORTED_ATTEMPT = 'model/provider_unavailable <- model/provider_unavailable';

export const STORIES: readonly Story[] = [
  {
    name: 'healthy',
    tells: 'nothing fails',
    task: { script: {} },
    rows: [result()],
  },
  {
    name: 'tool_used',
    tells: 'the model runs a command in the sandbox, and nothing fails',
    task: { script: { model: ['tool', 'answer'] } },
    rows: [result()],
  },
  {
    name: 'retry_recovers',
    tells: 'the first model attempt fails, the client’s retry succeeds',
    task: { script: { model: ['unavailable', 'answer'] } },
    rows: [result(REPORTED_ATTEMPT)],
  },
  {
    name: 'model_timeout',
    tells: 'the model never answers',
    task: { script: { model: ['hang'] }, model_timeout_ms: 1500 },
    rows: [failure('agent/agent_run_error <- model/transport_timeout', ...attempts(2, 'transport_timeout'))],
  },
  {
    name: 'connection_dropped',
    tells: 'the model closes each connection before it answers',
    task: { script: { model: ['drop'] } },
    rows: [failure('agent/agent_run_error <- model/transport_peer_drop', ...attempts(2, 'transport_peer_drop'))],
  },
  {
    name: 'stream_breaks',
    tells: 'the model’s stream fails half-way, and its last event says why',
    task: { script: { model: ['break_stream'] } },
    rows: [failure('agent/agent_run_error <- model/provider_unavailable')],
  },
  {
    name: 'stream_cut',
    tells: 'the model’s stream ends in the middle, without a last event',
    task: { script: { model: ['cut_stream'] } },
    rows: [failure('agent/agent_run_error <- model/transport_peer_drop', ...attempts(1, 'transport_peer_drop'))],
  },
  {
    name: 'streamed_retry',
    tells: 'the collector reads the agent’s stream, whose last event carries what a retry recovered',
    task: { script: { collector: 'stream', model: ['unavailable', 'answer'] } },
    rows: [result(REPORTED_ATTEMPT)],
  },
  {
    name: 'streamed_failure',
    tells: 'the collector reads the agent’s stream, and its last event carries the agent’s failure',
    task: { script: { collector: 'stream', model: ['break_stream'] } },
    rows: [failure('agent/agent_run_error <- model/provider_unavailable')],
  },
  {
    name: 'quota_exhausted',
    tells: 'a foreign provider refuses, and repeats the secrets that it was sent',
    task: { script: { model: ['quota'] } },
    rows: [
      failure('agent/agent_run_error <- model/provider_quota_exhausted', ...attempts(2, 'provider_quota_exhausted')),
    ],
  },
  {
    name: 'command_not_allowed',
    tells: 'the harness refuses a command, and the model then answers without it',
    task: { script: { model: ['forbidden_tool', 'answer'] } },
    rows: [result('harness/agent_command_not_allowed')],
  },
  {
    name: 'endless_turns',
    tells: 'the model asks for a tool turn after turn, until the harness ends it',
    task: { script: { model: ['tool'] } },
    rows: [failure('agent/agent_run_error <- harness/agent_timeout')],
  },
  {
    name: 'agent_breaks',
    tells: 'a bug in the agent',
    task: { script: { agent: ['break'] } },
    rows: [failure('agent/agent_run_error')],
  },
  {
    name: 'agent_hangs',
    tells: 'the agent never answers, and the collector gives up',
    task: { script: { agent: ['hang'] }, timeout_ms: 1500 },
    rows: [failure('collection/transport_timeout')],
  },
  {
    name: 'session_expired',
    tells: 'the session is gone before it is seeded',
    task: { script: { session: 'expired' } },
    rows: [failure('agent/agent_run_error <- resources_server/session_expired')],
  },
  {
    name: 'session_not_released',
    tells: 'the rollout succeeds, and its session is not released',
    task: { script: { session: 'not_released' } },
    rows: [result('resources_server/session_release_failed')],
  },
  {
    name: 'sandbox_dies',
    tells: 'the sandbox is killed while it runs a command',
    task: { script: { model: ['deadly_tool'] } },
    rows: [failure('agent/agent_run_error <- environment/kill_shaped')],
  },
  {
    name: 'episode_handled',
    tells: 'the sandbox is killed, and the agent answers with a failed episode, status 200',
    task: { script: { model: ['deadly_tool'], episode: 'handle' } },
    rows: [failure('environment/session_lost <- environment/kill_shaped')],
  },
  {
    name: 'judge_fails',
    tells: 'the judge’s model fails: reward 0.0, and the sample is masked',
    task: { script: { judge: ['unavailable'] } },
    rows: [result('resources_server/judge_failed <- model/provider_unavailable')],
  },
  {
    name: 'judge_mumbles',
    tells: 'the judge gives no verdict: reward 0.0, and the sample is masked',
    task: { script: { judge: ['mumble'] } },
    rows: [result('resources_server/judge_unparseable')],
  },
  {
    name: 'verification_fails',
    tells: 'a chain over three servers: the agent’s failure, the verifier’s, and the judge model’s',
    task: { script: { judge: ['unavailable'], verify: 'strict' } },
    rows: [
      failure(
        'agent/agent_run_error <- resources_server/verifier_error <- resources_server/judge_failed <- model/provider_unavailable',
      ),
    ],
  },
  {
    name: 'report_too_large',
    tells: 'three long reports fit into no header together: the row says omitted',
    task: {
      script: { model: [...long('tool'), ...long('tool'), ...long('answer')] },
    },
    rows: [{ ...result(), omitted: true }],
  },
  {
    name: 'attempt_recovers',
    tells: 'the first attempt at the rollout fails, the second succeeds',
    task: { script: { agent: ['break', 'run'] }, attempts: 2 },
    rows: [failure('agent/agent_run_error'), result()],
  },
  {
    name: 'cohort_incomplete',
    tells: 'each attempt at the rollout fails, and its cohort stays incomplete',
    task: { script: { model: ['drop'] }, attempts: 2 },
    rows: [
      failure('agent/agent_run_error <- model/transport_peer_drop', ...attempts(2, 'transport_peer_drop')),
      failure(
        'collection/cohort_incomplete <- agent/agent_run_error <- model/transport_peer_drop',
        ...attempts(2, 'transport_peer_drop'),
      ),
    ],
  },
  {
    name: 'write_recovers',
    tells: 'the first write of the row fails, the second succeeds',
    task: { script: { collector: 'lose_first_write' } },
    rows: [result('collection/persistence_failed')],
  },
];
