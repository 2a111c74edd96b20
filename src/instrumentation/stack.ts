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
const FIRST_FRAME = '\n    at ';
/** So many places of a program are remembered. */
const MAX_PLACES = 64;

/**
 * The frames of stacks as they are shown. Programs fail at the same places again and again, and looking through the
 * frames for credentials takes longer than all else that an observed failure costs.
 */
const shownFrames = new Map<string, string>();

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
    const text = boundedText(masked(stackOf(link).slice(0, LOOKED_AT), link), PART_MAX_CHARS);
    parts.push(parts.length === 0 ? text : `Caused by: ${text}`);
  }
  return parts.join('\n');
}

function masked(stack: string, error: unknown): string {
  // A message may have lines that look like frames: those after it are.
  const message = safeGet(error, 'message');
  const end = stack.indexOf(FIRST_FRAME, typeof message === 'string' ? message.length : 0);
  if (end < 0 || stack.length - end > PART_MAX_CHARS) return withoutSecrets(stack);
  return withoutSecrets(stack.slice(0, end)) + maskedFrames(stack.slice(end));
}

function maskedFrames(frames: string): string {
  const known = shownFrames.get(frames);
  if (known !== undefined) return known;
  // A copy: V8's slice would keep the whole stack alive, with a message of any length.
  const copy = Buffer.from(frames).toString();
  const shown = withoutSecrets(copy);
  const [oldest] = shownFrames.size < MAX_PLACES ? [] : shownFrames.keys();
  if (oldest !== undefined) shownFrames.delete(oldest);
  shownFrames.set(copy, shown);
  return shown;
}

function stackOf(error: unknown): string {
  const stack = safeGet(error, 'stack');
  if (typeof stack === 'string' && stack !== '') return stack;
  const { exception_type: type, message } = sdkErrorDetails(error);
  return message === '' ? type : `${type}: ${message}`;
}
