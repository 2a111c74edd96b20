import { diag } from '@opentelemetry/api';
import { shown } from '../records/text.ts';
import { HEADER_MAX_BYTES, OMITTED_HEADER_VALUE } from '../records/wire.ts';

/** No header can say less of a report. */
const LEAST = OMITTED_HEADER_VALUE.length;

/**
 * A limit that a user gave, in bytes. One that cannot be used is one diagnostic line and the default: a wrong option
 * must not break a server.
 */
export function readMaxHeaderBytes(value: unknown): number {
  if (value === undefined) return HEADER_MAX_BYTES;
  if (typeof value === 'number' && Number.isInteger(value) && value >= LEAST && value <= HEADER_MAX_BYTES) return value;
  diag.warn(
    `opentelemetry-instrumentation-nemo-gym: maxHeaderBytes is ${shown(value)}; ` +
      `give an integer ${LEAST}–${HEADER_MAX_BYTES}. ${HEADER_MAX_BYTES} is used`,
  );
  return HEADER_MAX_BYTES;
}
