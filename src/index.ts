export { agentRouteFailure, routeReplyError } from './failures/agent-route.ts';
export { explicitCauses, failureReportFor, findBoundaryFailure } from './failures/cause-chain.ts';
export {
  type EpisodeDecision,
  type HandledEpisodeFailure,
  type HandledEpisodeFailureOptions,
  handledEpisodeFailure,
  isHandledEpisodeFailure,
} from './failures/episode.ts';
export { type ForeignErrorOption, sdkErrorDetails } from './failures/foreign-error.ts';
export { type JudgeFailureKind, type JudgeFailureOptions, judgeFailure } from './failures/judge.ts';
export {
  NgFailureEvent,
  type NgFailureEventOptions,
  type ReplyFacts,
} from './failures/ng-failure-event.ts';
export { rebuildFailure } from './failures/rebuild.ts';
export { type SandboxFailureOptions, sandboxFailure } from './failures/sandbox.ts';
export {
  deserializeFailure,
  type SerializedEvent,
  type SerializedFailure,
  type SerializedForeignError,
  serializeFailure,
} from './failures/serialize.ts';
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
export type { Settings as NgFailureSettings } from './instrumentation/settings.ts';
export type { EpisodeFailure } from './records/episode-failure.ts';
export type {
  FailureBoundary,
  FailureEvent,
  FailureStage,
  ModelFailureDetails,
  SandboxFailureDetails,
  SdkErrorDetails,
} from './records/failure-event.ts';
export { FailureReport, type FailureReportRecord, validateFailureEventMap } from './records/failure-report.ts';
export type { JsonObject, JsonValue } from './records/json.ts';
export {
  FAILURE_KINDS,
  type FailureKind,
  type GymFailureKind,
  isNamespaced,
  isRegistered,
  registerFailureKinds,
  validateFailureKind,
} from './records/kinds.ts';
export type { ModelOperationObservation } from './records/model-operation.ts';
export { UNREGISTERED_KIND_PREFIX } from './records/wire.ts';
export type { AcceptReportFrom } from './transport/believed.ts';
export {
  type EpisodeFailureMembers,
  type EpisodeFailureResponse,
  episodeFailureResponse,
} from './transport/episode-response.ts';
export { FailureHeader } from './transport/header.ts';
export type { HeadersLike } from './transport/headers-like.ts';
export { type JudgeFailsafeReply, judgeFailsafe, type MaskedReply } from './transport/judge-failsafe.ts';
export { type ModelOperationCall, modelOperation } from './transport/model/model-operation.ts';
export {
  type FetchFunction,
  type ObservedFetch,
  type ObservedFetchOptions,
  observedFetch,
} from './transport/model/observed-fetch.ts';
export {
  failRequest,
  type ModelOperationOptions,
  type ObservedIn,
  observeFailure,
  observeModelOperation,
  observeReply,
  replyFailureReport,
  reportForCurrentRequest,
} from './transport/observe.ts';
export { type FailureReportsOptions, withFailureReports } from './transport/reply/listener.ts';
export type { CallerRequest, SendReportTo } from './transport/reply/policy.ts';
export type { Redact, RedactionTarget } from './transport/reply/redact.ts';
export type { ReplyLike as ServedReply, RequestLike as ServedRequest } from './transport/reply/serve-request.ts';
export {
  HttpReplyError,
  type HttpReplyFacts,
  type ReplyLike,
  raiseBoundaryFailure,
  raiseForStatus,
} from './transport/reply-error.ts';
export { RequestFailureLog } from './transport/request-log.ts';
export { FailureReportRow, type Row } from './transport/row.ts';
export { relayStream } from './transport/stream/relay-stream.ts';
export { StreamFailureReportReader, type StreamReaderLimits } from './transport/stream/stream-reader.ts';
export {
  type FailureStreamEventOptions,
  failureStreamEvent,
  type StreamDialect,
  type WithFailureReport,
  withFailureReport,
} from './transport/stream/stream-writer.ts';
