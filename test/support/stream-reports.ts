import { expect } from 'vitest';
import { readBytes, readInSteps, readText } from './stream-feeding.ts';
import { reportOfBody } from './stream-oracle.ts';

export const NAME = 'nemo_gym_failure_report';
export const LIMIT = 1 << 20;

export function reportOf(id: string): { failure_id: string; events: Record<string, unknown> } {
  const event = { event_id: id, boundary: 'model', failure_kind: 'cancelled', failure_reason: 'x' };
  return { failure_id: id, events: { [id]: event } };
}

export function terminal(id: string, type = 'response.completed', pad?: string): string {
  return JSON.stringify({ type, ...(pad === undefined ? {} : { pad }), [NAME]: reportOf(id) });
}

export const OMITTED = { omitted: true };

/** The reader's word on a body: whole, in small pieces and as text, and that the reference reader agrees. */
export function read(text: string): unknown {
  const whole = readBytes(Buffer.from(text));
  expect(readInSteps(Buffer.from(text), 7)).toEqual(whole);
  expect(readText(text)).toEqual(whole);
  expect(reportOfBody(Buffer.from(text))?.toJSON()).toEqual(whole);
  return whole;
}
