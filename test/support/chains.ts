import fc from 'fast-check';
import { NgFailureEvent } from '../../src/failures/ng-failure-event.ts';
import type { SdkErrorDetails } from '../../src/records/failure-event.ts';
import { text } from './arbitraries.ts';

/** One link of a chain: an event with the record it must have, or a foreign error with the facts it must give. */
export type ChainLink =
  | { readonly kind: 'event'; readonly record: Record<string, unknown>; make(cause: unknown): unknown }
  | { readonly kind: 'foreign'; readonly facts: SdkErrorDetails; make(cause: unknown): unknown };

const status = fc.integer({ min: 100, max: 599 });

const eventLink: fc.Arbitrary<ChainLink> = fc
  .record(
    {
      boundary: fc.constantFrom(...(['model', 'agent', 'environment'] as const)),
      failureKind: fc.constantFrom('cancelled', 'judge_failed', 'browser_env:page_crashed'),
      failureReason: text,
      stage: fc.constantFrom(...(['seed', 'cleanup'] as const)),
      operation: text,
      httpStatus: status,
      foreignError: fc.constant({ exceptionType: 'Chosen', message: 'chosen' }),
      details: fc.constantFrom<object[]>({}, { attempt: 2, tags: ['漢', null] }),
    },
    { requiredKeys: ['boundary', 'failureKind', 'failureReason'] },
  )
  .map(({ boundary, failureKind, failureReason, ...more }) => ({
    kind: 'event',
    record: {
      boundary,
      failure_kind: failureKind,
      failure_reason: failureReason,
      ...('stage' in more ? { stage: more.stage } : {}),
      ...('operation' in more ? { operation: more.operation } : {}),
      ...('httpStatus' in more ? { http_status: more.httpStatus } : {}),
      ...('foreignError' in more ? { foreign_error: { exception_type: 'Chosen', message: 'chosen' } } : {}),
      ...('details' in more ? { details: more.details } : {}),
    },
    make: (cause) => new NgFailureEvent({ boundary, failureKind, failureReason, ...more, cause }),
  }));

class SdkError extends Error {}

const foreignLink: fc.Arbitrary<ChainLink> = fc
  .record({
    message: fc.constantFrom('read timed out', '漢字 😀', 'x'.repeat(400)),
    form: fc.constantFrom('Error', 'SdkError', 'Object'),
    status: fc.option(status),
  })
  .map(({ message, form, status: given }) => ({
    kind: 'foreign',
    facts: { exception_type: form, message, ...(given === null ? {} : { http_status: given }) },
    make: (cause) => {
      const members = given === null ? {} : { status: given };
      if (form === 'Object') return { message, cause, ...members };
      return Object.assign(
        form === 'Error' ? new Error(message, { cause }) : new SdkError(message, { cause }),
        members,
      );
    },
  }));

/** A chain, outermost link first. */
export const chainLinks: fc.Arbitrary<ChainLink[]> = fc.array(fc.oneof(eventLink, foreignLink), { maxLength: 8 });

/** The errors of a chain, each the cause of the one before it; sometimes nothing at all. */
export function errorOf(links: readonly ChainLink[]): { error: unknown; errors: unknown[] } {
  const errors: unknown[] = [];
  let cause: unknown;
  for (const link of [...links].reverse()) {
    cause = link.make(cause);
    errors.unshift(cause);
  }
  return { error: cause, errors };
}
