import { findBoundaryFailure } from '../../failures/cause-chain.ts';
import { shown } from '../../records/text.ts';
import { guarded } from '../guard.ts';
import { observeModelOperation } from '../observe.ts';
import { inOperation, ModelOperationScope } from './operation-scope.ts';
import { isTimeout } from './transport-kind.ts';

/** What {@link modelOperation} takes beside the call. */
export interface ModelOperationCall {
  /** Names the operation, not empty; default: 32 hex digits of a random UUID. Wire key: `operation_id`. */
  readonly operationId?: string | undefined;
}

/**
 * Runs one logical model call, with whatever retries its client makes, and observes what it came to:
 * `modelOperation(() => client.responses.create(…))`. The attempts that {@link observedFetch} makes inside are counted:
 * how many, how many failed in transport, the time between them, the id of the last one (`details.attempt_id` of its
 * event) and the event that ended the call. A client that does not use `fetch`, or not that one, is not counted: these
 * members are then absent, not 0. A stream counts as completed once `fn` gives it back. Calls may nest and overlap; each
 * counts its own attempts.
 *
 * @returns what `fn` comes to
 * @throws what `fn` throws, the same object; a TypeError when `operationId` is not a non-empty text, before `fn` runs
 */
export async function modelOperation<T>(fn: () => T, options: ModelOperationCall = {}): Promise<Awaited<T>> {
  const { operationId = crypto.randomUUID().replaceAll('-', '') } = options;
  if (typeof operationId !== 'string' || operationId === '') {
    throw new TypeError(`modelOperation: operationId is ${shown(operationId)}: give a non-empty text, or none`);
  }
  const scope = new ModelOperationScope();
  const startedAt = performance.now();
  let result: Awaited<T>;
  try {
    result = await inOperation(scope, fn);
  } catch (error) {
    guarded('observing a model operation', () => {
      scope.close(isTimeout(error) ? 'timed out' : 'ended');
      const failureId = findBoundaryFailure(error)?.eventId ?? scope.finalFailureId;
      observeModelOperation({ operationId, outcome: 'failed', failureId, ...counted(scope, startedAt) });
    });
    throw error;
  }
  guarded('observing a model operation', () => {
    scope.close('ended');
    observeModelOperation({ operationId, outcome: 'completed', ...counted(scope, startedAt) });
  });
  return result;
}

function counted(scope: ModelOperationScope, startedAt: number): Partial<Parameters<typeof observeModelOperation>[0]> {
  const requestElapsedMs = performance.now() - (scope.firstAt ?? startedAt);
  if (scope.httpAttempts === 0) return { requestElapsedMs };
  return {
    finalAttemptId: scope.finalAttemptId,
    httpAttempts: scope.httpAttempts,
    transportFailures: scope.transportFailures,
    retryWaitS: scope.waitedMs / 1000,
    requestElapsedMs,
  };
}
