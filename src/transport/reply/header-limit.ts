import { shown } from '../../records/text.ts';
import { HEADER_MAX_BYTES, OMITTED_HEADER_VALUE } from '../../records/wire.ts';
import { tellOfOption } from '../guard.ts';

/** No header can say less of a report. */
const LEAST = OMITTED_HEADER_VALUE.length;

/** What to tell somebody who gave a limit that cannot be used. */
export const HEADER_BYTES_RANGE: string = `give an integer ${LEAST}–${HEADER_MAX_BYTES}. ${HEADER_MAX_BYTES} is used`;

/** Whether a header's value may be held to that many bytes. */
export function isMaxHeaderBytes(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= LEAST && value <= HEADER_MAX_BYTES;
}

/**
 * A limit that a user gave, in bytes. One that cannot be used is one diagnostic line and the default: a wrong option
 * must not break a server.
 */
export function readMaxHeaderBytes(value: unknown): number {
  if (value === undefined) return HEADER_MAX_BYTES;
  if (isMaxHeaderBytes(value)) return value;
  tellOfOption(`maxHeaderBytes is ${shown(value)}; ${HEADER_BYTES_RANGE}`);
  return HEADER_MAX_BYTES;
}
