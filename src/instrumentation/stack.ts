import { explicitCauses } from '../failures/cause-chain.ts';
import { safeGet, sdkErrorDetails } from '../failures/foreign-error.ts';
import { withoutSecrets } from '../failures/secrets.ts';
import { boundedText } from '../records/text.ts';

/** Errors of a chain that are shown, the first included. */
const MAX_ERRORS = 8;
/** Most code points of one error's part. */
const PART_MAX_CHARS = 4000;
/** More of a stack than can be kept is not even looked at. */
const LOOKED_AT = 2 * PART_MAX_CHARS;

/**
 * An error's stack followed by those of its explicit causes, which OpenTelemetry leaves out (opentelemetry-js#4227).
 * Bounded, well-formed, and with what looks like a credential masked.
 */
export function stackWithCauses(error: unknown): string {
  const parts: string[] = [];
  for (const link of explicitCauses(error)) {
    if (parts.length === MAX_ERRORS) {
      parts.push('Caused by: …');
      break;
    }
    const text = boundedText(withoutSecrets(stackOf(link).slice(0, LOOKED_AT)), PART_MAX_CHARS);
    parts.push(parts.length === 0 ? text : `Caused by: ${text}`);
  }
  return parts.join('\n');
}

function stackOf(error: unknown): string {
  const stack = safeGet(error, 'stack');
  if (typeof stack === 'string' && stack !== '') return stack;
  const { exception_type: type, message } = sdkErrorDetails(error);
  return message === '' ? type : `${type}: ${message}`;
}
