export { agentRouteFailure, routeReplyError } from './failures/agent-route.ts';
export { explicitCauses, failureReportFor, findBoundaryFailure } from './failures/cause-chain.ts';
export {
  type HandledEpisodeFailure,
  type HandledEpisodeFailureOptions,
  handledEpisodeFailure,
  isHandledEpisodeFailure,
} from './failures/episode.ts';
export { sdkErrorDetails } from './failures/foreign-error.ts';
export { type JudgeFailureOptions, judgeFailure } from './failures/judge.ts';
export { NgFailureEvent, type NgFailureEventOptions } from './failures/ng-failure-event.ts';
export { rebuildFailure } from './failures/rebuild.ts';
export { type SandboxFailureOptions, sandboxFailure } from './failures/sandbox.ts';
export { deserializeFailure, type SerializedFailure, serializeFailure } from './failures/serialize.ts';
export type { UndiciReply } from './instrumentation/client-span.ts';
export type {
  MirrorSignal,
  NgFailureClientConfig,
  NgFailureInstrumentationConfig,
  NgFailureMirrorConfig,
  NgFailureServerConfig,
} from './instrumentation/config.ts';
export { NgFailureInstrumentation } from './instrumentation/instrumentation.ts';
export { NgFailurePropagator } from './instrumentation/propagator.ts';
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
export type { AcceptReportFrom } from './transport/believed.ts';
export { type EpisodeFailureResponse, episodeFailureResponse } from './transport/episode-response.ts';
export { FailureHeader } from './transport/header.ts';
export type { HeadersLike } from './transport/headers-like.ts';
export { judgeFailsafe } from './transport/judge-failsafe.ts';
export { type ModelOperationCall, modelOperation } from './transport/model/model-operation.ts';
export { type FetchFunction, type ObservedFetchOptions, observedFetch } from './transport/model/observed-fetch.ts';
export {
  failRequest,
  type ModelOperationOptions,
  observeFailure,
  observeModelOperation,
  observeReply,
  replyFailureReport,
  reportForCurrentRequest,
} from './transport/observe.ts';
export { type FailureReportsOptions, withFailureReports } from './transport/reply/listener.ts';
export type { CallerRequest, SendReportTo } from './transport/reply/policy.ts';
export type { Redact, RedactionTarget } from './transport/reply/redact.ts';
export { HttpReplyError, type ReplyLike, raiseBoundaryFailure, raiseForStatus } from './transport/reply-error.ts';
export { RequestFailureLog } from './transport/request-log.ts';
export { FailureReportRow } from './transport/row.ts';
export { relayStream } from './transport/stream/relay-stream.ts';
export { StreamFailureReportReader } from './transport/stream/stream-reader.ts';
export {
  type FailureStreamEventOptions,
  failureStreamEvent,
  type StreamDialect,
  withFailureReport,
} from './transport/stream/stream-writer.ts';
