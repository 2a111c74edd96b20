/**
 * Every name and number of the wire contract, each exactly once. Other modules import them from here, so that a
 * change of the contract is a change of this file.
 */

/** Reply header that carries a report, on success and failure replies. */
export const HEADER_NAME = 'X-NG-Failure-Report';
/** Most bytes of the header's value as written; a longer report goes out as {@link OMITTED_HEADER_VALUE}. */
export const HEADER_MAX_BYTES = 4096;
/** What the header says in place of a report that does not fit. */
export const OMITTED_HEADER_VALUE = '{"omitted":true}';

/** Top-level member of a stream's terminal event that carries a report. */
export const STREAM_FIELD = 'nemo_gym_failure_report';
/** Where {@link STREAM_FIELD} is looked for when the event itself does not have it. */
export const STREAM_NESTED_IN = 'response';
/** `type` of the event that ends a Responses stream which failed. */
export const STREAM_FAILED_TYPE = 'response.failed';
/** `type` of the events that end a stream. An event without a text `type` is terminal when it has the field. */
export const STREAM_TERMINAL_TYPES: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  STREAM_FAILED_TYPE,
  'error',
  'message_stop',
]);
/** Most bytes of one `data:` value, and of the joined data of one event, that a stream reader keeps. */
export const STREAM_MAX_DATA_BYTES = 1 << 20;
/** Most bytes of the events' data whose reports a stream reader keeps together. */
export const STREAM_MAX_REPORT_BYTES = 1 << 21;

/** Row keys beside a rollout's own fields. */
export const ROW_EVENTS = '_ng_failure_events';
export const ROW_FAILURE_ID = '_ng_failure_id';
export const ROW_OMITTED = '_ng_failure_events_omitted';
/** Row key that names a rollout; spans name it in `nemo.gym.rollout.id`. */
export const ROW_ROLLOUT_ID = '_ng_rollout_id';
/** Row keys that say which task a rollout played, and which of the task's rollouts it is. */
export const ROW_TASK_INDEX = '_ng_task_index';
export const ROW_ROLLOUT_INDEX = '_ng_rollout_index';
/** First segment of a path that belongs to a rollout: `/ng-rollout/<rollout_id>/…`. */
export const ROLLOUT_PATH_PREFIX = '/ng-rollout/';
/** Field of a judge failsafe's reply that classes the failure. */
export const JUDGE_FAILURE_CLASS = '_ng_failure_class';
/** The class, and the kind, that it names. */
export const JUDGE_FAILED = 'judge_failed';
/** Fields of that reply that score it with zero and keep it out of training. */
export const JUDGE_REWARD = 'reward';
export const JUDGE_MASK_SAMPLE = 'mask_sample';
/** Members of an episode's response: the failure's envelope, and the report beside it. */
export const EPISODE_FAILURE = 'failure';
export const EPISODE_FAILURE_REPORT = 'failure_report';

/** Places that observe a failure. */
export const BOUNDARIES = ['model', 'harness', 'agent', 'resources_server', 'environment', 'collection'] as const;
/** Parts of an episode in which a failure is observed. */
export const STAGES = ['admission', 'seed', 'agent', 'verification', 'cleanup'] as const;
/** How a logical model call ends. */
export const MODEL_OUTCOMES = ['completed', 'failed'] as const;

/** Most code points of a `failure_reason` when it is written, the marker included. */
export const REASON_MAX_CHARS = 2000;
/** Most code points of a foreign error's `message` when it is written, the marker included. */
export const FOREIGN_MESSAGE_MAX_CHARS = 500;
/** Ends a text that was cut. */
export const TRUNCATION_MARKER = '...[truncated]';
/** Deepest nesting of a report; the report itself is level 1, its map of events 2, an event 3, its `details` 4. */
export const REPORT_MAX_LEVELS = 100;
/** Level of an event inside a report. */
export const EVENT_LEVEL = 3;
/** Lowest and highest `http_status`. */
export const HTTP_STATUS_MIN = 100;
export const HTTP_STATUS_MAX = 599;
/** Links of a cause chain that are followed before the walk ends and the report is marked omitted. */
export const CHAIN_MAX_LINKS = 30_000;
/** Events that a request's log keeps. */
export const LOG_MAX_EVENTS = 64;
/** Namespace of a kind that another server registered and this process does not know. */
export const UNREGISTERED_KIND_PREFIX = 'unregistered:';
