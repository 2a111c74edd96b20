import type { FailureBoundary, FailureStage, SandboxFailureDetails } from '../records/failure-event.ts';
import type { FailureKind } from '../records/kinds.ts';
import { shown } from '../records/text.ts';
import { NgFailureEvent } from './ng-failure-event.ts';

/** The facts of a failed sandbox operation. A fact that was not observed is left out, never guessed. */
export interface SandboxFailureOptions {
  /** What was done with the sandbox, e.g. `create`, `exec`, `release`. */
  readonly operation: string;
  /** What the caller found it to be, e.g. `provider_oom_killed`; nothing is classified here. */
  readonly failureKind: FailureKind;
  /** The error that ended the operation; it keeps its own evidence. */
  readonly cause?: unknown;
  /** Text for people. Default: one that names the operation. Wire key: `failure_reason`. */
  readonly reason?: string | undefined;
  /** HTTP status of this operation, 100–599, never that of a cause. Wire key: `http_status`. */
  readonly httpStatus?: number | undefined;
  /** Who observed it. Default: `environment`, to which a sandbox belongs. */
  readonly boundary?: FailureBoundary | undefined;
  /** In which part of an episode it was observed. Default: none. */
  readonly stage?: FailureStage | undefined;
  /** Wire key: `details.sandbox_id`. */
  readonly sandboxId?: string | undefined;
  /** Names the command inside the sandbox. Wire key: `details.execution_id`. */
  readonly executionId?: string | undefined;
  /** Who runs the sandbox. Wire key: `details.provider`. */
  readonly provider?: string | undefined;
  /** Why the provider says it ended, in its words. Wire key: `details.provider_status_reason`. */
  readonly providerStatusReason?: string | undefined;
  /** An integer, as the command left it. Wire key: `details.exit_code`. */
  readonly exitCode?: number | undefined;
}

/**
 * The event of a failed sandbox operation, made of explicit facts. Neither the kind nor anything else is inferred from
 * the cause or from its message.
 *
 * @throws TypeError that names the value, when one is not what an event may hold
 */
export function sandboxFailure(options: SandboxFailureOptions): NgFailureEvent {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`sandboxFailure: its argument is ${shown(options)}: give { operation, failureKind, … }`);
  }
  const { operation, failureKind, reason, boundary, stage, httpStatus } = options;
  if (typeof operation !== 'string' || operation === '') {
    throw new TypeError(`sandboxFailure: operation is ${shown(operation)}: give what was done, e.g. "exec"`);
  }
  const details = sandboxDetails(options);
  return new NgFailureEvent({
    boundary: boundary ?? 'environment',
    failureKind,
    failureReason: reason ?? `The sandbox's ${operation} failed`,
    operation,
    stage,
    httpStatus,
    ...(Object.keys(details).length === 0 ? undefined : { details }),
    ...(options.cause === undefined || options.cause === null ? undefined : { cause: options.cause }),
  });
}

function sandboxDetails(options: SandboxFailureOptions): SandboxFailureDetails {
  const { exitCode } = options;
  if (exitCode != null && !Number.isSafeInteger(exitCode)) {
    throw new TypeError(`sandboxFailure: exitCode is ${shown(exitCode)}: give an integer or leave it out`);
  }
  return {
    ...text('sandbox_id', options.sandboxId),
    ...text('execution_id', options.executionId),
    ...text('provider', options.provider),
    ...text('provider_status_reason', options.providerStatusReason),
    ...(exitCode == null ? undefined : { exit_code: exitCode }),
  };
}

function text<K extends string>(key: K, value: string | null | undefined): Partial<Record<K, string>> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new TypeError(`sandboxFailure: ${key} is ${shown(value)}: give a text`);
  const fact: Partial<Record<string, string>> = { [key]: value };
  return fact;
}
