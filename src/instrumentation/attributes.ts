/** Name of the span event that shows a failure event. */
export const FAILURE_EVENT_NAME = 'nemo.gym.failure';

/** Attributes of that span event. */
export const EVENT_ID = 'nemo.gym.failure.event_id';
export const EVENT_CAUSE_ID = 'nemo.gym.failure.cause_id';
export const EVENT_BOUNDARY = 'nemo.gym.failure.boundary';
export const EVENT_KIND = 'nemo.gym.failure.kind';
export const EVENT_STAGE = 'nemo.gym.failure.stage';
export const EVENT_OPERATION = 'nemo.gym.failure.operation';
export const EVENT_REASON = 'nemo.gym.failure.reason';
export const EVENT_HTTP_STATUS = 'nemo.gym.failure.http_status';
/** `raised`, `attempt` or `forwarded`. */
export const EVENT_ORIGIN = 'nemo.gym.failure.origin';
/** Whether it is the reply's own failure. */
export const EVENT_SELECTED = 'nemo.gym.failure.selected';
/** OpenTelemetry's own names. */
export const EXCEPTION_TYPE = 'exception.type';
export const EXCEPTION_MESSAGE = 'exception.message';
export const EXCEPTION_STACKTRACE = 'exception.stacktrace';

/** Attributes of the server span. The failure's kind and boundary have the names that its event has. */
export const SPAN_FAILURE_ID = 'nemo.gym.failure.id';
export const SPAN_FAILURE_KIND = EVENT_KIND;
export const SPAN_FAILURE_BOUNDARY = EVENT_BOUNDARY;
/** How many events the reply's report has. */
export const SPAN_FAILURE_COUNT = 'nemo.gym.failure.count';
/** Set when the report, or a part of it, was not sent. */
export const SPAN_FAILURE_OMITTED = 'nemo.gym.failure.omitted';
/** How many events the request's full log did not keep. */
export const SPAN_FAILURE_DROPPED = 'nemo.gym.failure.dropped';
/** Gym's own name. */
export const ROLLOUT_ID = 'nemo.gym.rollout.id';

/** Goes before the members of a model operation, which keep their wire names. */
export const MODEL_PREFIX = 'nemo.gym.model.';
/** How the operation ended; also a metric's label. */
export const MODEL_OUTCOME = 'nemo.gym.model.outcome';

/** Metrics. Their labels are attributes of the event, or the operation's outcome. */
export const METRIC_FAILURES = 'nemo.gym.failures';
export const METRIC_OMITTED = 'nemo.gym.failure.omitted_reports';
export const METRIC_DROPPED = 'nemo.gym.failure.dropped_events';
export const METRIC_OPERATIONS = 'nemo.gym.model.operations';
export const METRIC_ATTEMPTS = 'nemo.gym.model.attempts';
export const METRIC_RETRY_WAIT = 'nemo.gym.model.retry_wait';
export const METRIC_DURATION = 'nemo.gym.model.duration';
