/** Names under which the mirror puts an event on a span, as far as the traces are read here. */
export const EVENT_NAME = 'nemo.gym.failure';
export const EVENT_ID = 'nemo.gym.failure.event_id';
export const EVENT_CAUSE_ID = 'nemo.gym.failure.cause_id';
export const EVENT_BOUNDARY = 'nemo.gym.failure.boundary';
export const EVENT_KIND = 'nemo.gym.failure.kind';
export const EVENT_STAGE = 'nemo.gym.failure.stage';
/** Span attribute, Gym's own. */
export const ROLLOUT_ID = 'nemo.gym.rollout.id';
