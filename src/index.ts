export { explicitCauses, failureReportFor, findBoundaryFailure } from './failures/cause-chain.ts';
export { sdkErrorDetails } from './failures/foreign-error.ts';
export { NgFailureEvent, type NgFailureEventOptions } from './failures/ng-failure-event.ts';
export { rebuildFailure } from './failures/rebuild.ts';
export type { EpisodeFailure } from './records/episode-failure.ts';
export type {
  FailureBoundary,
  FailureEvent,
  FailureStage,
  ModelFailureDetails,
  SandboxFailureDetails,
  SdkErrorDetails,
} from './records/failure-event.ts';
export { FailureReport, validateFailureEventMap } from './records/failure-report.ts';
export {
  FAILURE_KINDS,
  type FailureKind,
  isNamespaced,
  isRegistered,
  registerFailureKinds,
  validateFailureKind,
} from './records/kinds.ts';
export type { ModelOperationObservation } from './records/model-operation.ts';
export { UNREGISTERED_KIND_PREFIX } from './records/wire.ts';
export { FailureHeader } from './transport/header.ts';
export type { HeadersLike } from './transport/headers-like.ts';
export {
  failRequest,
  observeFailure,
  observeModelOperation,
  observeReply,
  replyFailureReport,
  reportForCurrentRequest,
} from './transport/observe.ts';
export { HttpReplyError, raiseBoundaryFailure, raiseForStatus } from './transport/reply-error.ts';
export { RequestFailureLog } from './transport/request-log.ts';
export { FailureReportRow } from './transport/row.ts';
