// What a user's own package does with this one: it names results and exports them with their types. Compiled, never run.
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as root from 'opentelemetry-instrumentation-nemo-gym';
import { failureReports as express } from 'opentelemetry-instrumentation-nemo-gym/express';
import { failureReports as fastify } from 'opentelemetry-instrumentation-nemo-gym/fastify';
import { failureReports as hono } from 'opentelemetry-instrumentation-nemo-gym/hono';
import { failureReports as koa } from 'opentelemetry-instrumentation-nemo-gym/koa';
import 'opentelemetry-instrumentation-nemo-gym/register';

const details: root.ModelFailureDetails = { model: 'm', attempt: 1, region: 'eu' };
const sandboxDetails: root.SandboxFailureDetails = { sandbox_id: 's' };

export const event = new root.NgFailureEvent({
  boundary: 'model',
  failureKind: 'transport_timeout',
  failureReason: 'late',
  details,
});
export const optionsOf = (options: root.NgFailureEventOptions) => options.foreignError;
export const detailsOf = event.details;
export const httpErrorOf = event.httpError;
export const eventRecord = event.toRecord();
export const agent = root.agentRouteFailure('run', event);
export const answering = root.routeReplyError(agent);
export const causes = root.explicitCauses(agent);
export const chain = root.failureReportFor(agent);
export const reportRecord = chain.toJSON();
export const boundary = root.findBoundaryFailure(agent);
export const rebuilt = root.rebuildFailure(chain);
export const foreign = root.sdkErrorDetails(new Error('x'));
export const sandbox = root.sandboxFailure({ operation: 'exec', failureKind: 'provider_oom_killed' });
export const sandboxFacts = sandboxDetails;
export const serialized = root.serializeFailure(agent);
export const serializedEvents = serialized.links;
export const deserialized = root.deserializeFailure(serialized);
export const handled = root.handledEpisodeFailure({
  failureKind: 'transport_timeout',
  failureReason: 'late',
  terminal: true,
});
export const isHandled = root.isHandledEpisodeFailure;
export const handledOptions = (options: root.HandledEpisodeFailureOptions) => ({ ...options });
export const episode = root.episodeFailureResponse(handled);
export const judge = root.judgeFailure({ cause: event });
export const judgeOptions = (options: root.JudgeFailureOptions) => [options.failureKind, options.foreignError] as const;
export const verify = root.judgeFailsafe(async (body: { answer: string }) => ({ ...body, reward: 1 as number }));
export const masked = await verify({ answer: 'x' });
export const header = root.FailureHeader;
export const encoded = header.encode(chain);
export const decoded = header.decode(new Headers());
export const streamValue = header.streamValue(chain);
export const row = root.FailureReportRow;
export const rowFields = row.fields(chain);
export const rowReport = row.report({});

interface SavedRollout {
  readonly reward: number;
}
const rollout: SavedRollout = { reward: 1 };
export const merged = row.mergedInto(rollout, chain, root.FailureHeader.decode({}));
export const rewardOfMerged: number = merged.reward;
export const reader = new root.StreamFailureReportReader();
export const limitedReader = (...args: ConstructorParameters<typeof root.StreamFailureReportReader>) => args;
export const captured = root.RequestFailureLog.capture((log) => log.modelOperations);
export const log = root.RequestFailureLog.current();
export const own = root.replyFailureReport(agent);
export const current = root.reportForCurrentRequest();
export const whereOf = (...args: Parameters<typeof root.observeFailure>) => args[1];
export const observing = [
  root.observeFailure,
  root.observeReply,
  root.observeModelOperation,
  root.failRequest,
] as const;
export const raising = [root.raiseBoundaryFailure, root.raiseForStatus] as const;
export const replyError = new root.HttpReplyError({ status: 500 });
export const replyErrorOf = (...args: ConstructorParameters<typeof root.HttpReplyError>) => args[0];
export const watchingFetch = root.observedFetch;
export const fetchWith = root.observedFetch.with({ operation: 'responses' });
export const operation = root.modelOperation(async () => 1, { operationId: 'o' });
export const relayed = root.relayStream(new Response('').body);
export const streamEvent = root.withFailureReport({ type: 'response.completed' });
export const streamText = root.failureStreamEvent('chat', agent);
export const instrumentation = new root.NgFailureInstrumentation({ redact: (one) => one });
export const hook = instrumentation.undiciResponseHook;
export const settings = instrumentation.settings;
export const propagator = new root.NgFailurePropagator();
export const kinds = root.FAILURE_KINDS;
export const kind = root.validateFailureKind('transport_timeout');
export const checkedMap = root.validateFailureEventMap(chain.events);
export const listener = root.withFailureReports((_request: IncomingMessage, response: ServerResponse) =>
  response.end(),
);
export const anyListener = root.withFailureReports((_request: root.ServedRequest, _response: root.ServedReply) => 1);
export const adapters = { express, fastify, hono, koa };
export const expressHandlers = express();
export const honoHandler = hono();
export const koaHandler = koa();
