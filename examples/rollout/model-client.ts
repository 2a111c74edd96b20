import OpenAI from 'openai';
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseFailedEvent,
} from 'openai/resources/responses/responses';
import {
  explicitCauses,
  FailureHeader,
  FailureReport,
  modelOperation,
  NgFailureEvent,
  observedFetch,
  rebuildFailure,
  sdkErrorDetails,
} from 'opentelemetry-instrumentation-nemo-gym';

/** A model client that retries once by itself; each HTTP attempt that fails is observed. */
export function modelClient(options: { baseURL: string; apiKey: string; timeout: number }): OpenAI {
  return new OpenAI({ ...options, maxRetries: 1, fetch: observedFetch });
}

/**
 * One model call, streamed, with the client's retries.
 *
 * @throws NgFailureEvent for whatever goes wrong
 */
export function respond(client: OpenAI, params: ResponseCreateParamsNonStreaming): Promise<Response> {
  return modelOperation(() => streamedResponse(client, params));
}

async function streamedResponse(client: OpenAI, params: ResponseCreateParamsNonStreaming): Promise<Response> {
  try {
    const stream = await client.responses.create({ ...params, stream: true });
    for await (const event of stream) {
      if (event.type === 'response.completed') return event.response;
      if (event.type === 'response.failed') throw failureOfStream(event);
    }
  } catch (error) {
    throw modelFailure(error);
  }
  throw failure('transport_peer_drop', 'The model ended its stream without a last event');
}

/** The model server's own failure, when it reported one; it keeps its ids. */
function failureOfStream(event: ResponseFailedEvent): NgFailureEvent {
  const reported = rebuildFailure(FailureHeader.decodeStreamEvent(event) ?? FailureReport.EMPTY);
  return reported ?? failure('provider_unavailable', event.response.error?.message ?? 'The response failed');
}

function modelFailure(error: unknown): NgFailureEvent {
  if (NgFailureEvent.is(error)) return error;
  if (error instanceof OpenAI.APIConnectionTimeoutError) {
    return failure('transport_timeout', 'The model did not answer in time', error);
  }
  if (error instanceof OpenAI.APIError && error.status !== undefined) return failureOfReply(error);
  return failure(
    codesOf(error).includes('ECONNREFUSED') ? 'transport_unreachable' : 'transport_peer_drop',
    'The connection to the model was lost',
    error,
  );
}

function failureOfReply(error: InstanceType<typeof OpenAI.APIError>): NgFailureEvent {
  const reported = rebuildFailure(FailureHeader.decode(error.headers) ?? FailureReport.EMPTY);
  if (reported !== undefined) return reported;
  return new NgFailureEvent({
    boundary: 'model',
    failureKind: error.status === 429 ? 'provider_quota_exhausted' : 'provider_unavailable',
    // Not the error's own message: providers repeat in it what they were sent.
    failureReason: `The provider refused with status ${error.status}`,
    operation: 'responses',
    httpStatus: error.status,
    foreignError: sdkErrorDetails(error),
    cause: error,
  });
}

function failure(failureKind: string, failureReason: string, cause?: unknown): NgFailureEvent {
  return new NgFailureEvent({
    boundary: 'model',
    failureKind,
    failureReason,
    operation: 'responses',
    ...(cause === undefined ? undefined : { cause }),
  });
}

/** The error codes in a chain of causes: an SDK's network error hides the socket's two causes down. */
function codesOf(error: unknown): unknown[] {
  return [...explicitCauses(error)].map((link) => Reflect.get(Object(link), 'code'));
}
