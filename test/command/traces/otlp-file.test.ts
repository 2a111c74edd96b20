import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Problems } from '../../../src/command/problems.ts';
import { OtlpFile } from '../../../src/command/traces/otlp-file.ts';
import type { SpanFacts } from '../../../src/command/traces/traces.ts';
import { attempt, jsonl, traceId } from '../../support/rows.ts';
import { exportOf, span, spanEvent } from '../../support/rows-traces.ts';

const dir = mkdtempSync(join(tmpdir(), 'ng-otlp-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function read(lines: readonly unknown[]) {
  const path = join(dir, 'traces.jsonl');
  writeFileSync(path, jsonl(lines));
  const said: string[] = [];
  const spans: SpanFacts[] = [];
  for await (const some of new OtlpFile(path).spans(new Problems((text) => said.push(text)))) spans.push(...some);
  return { spans, said: said.join('') };
}

it('reads ids, the rollout and the mirrored events of a span', async () => {
  const events = [{ name: 'exception', attributes: [] }, spanEvent(attempt('e1', { stage: 'agent', cause_id: 'e0' }))];
  const parts = { traceId: traceId(1), spanId: 'b'.repeat(16), parentSpanId: 'a'.repeat(16), rolloutId: 'r-1', events };
  const { spans, said } = await read([exportOf([span(parts)])]);
  expect(said).toBe('');
  expect(spans).toEqual([
    {
      traceId: traceId(1),
      spanId: 'b'.repeat(16),
      parentSpanId: 'a'.repeat(16),
      rolloutId: 'r-1',
      sightings: [{ eventId: 'e1', kind: 'transport_timeout', boundary: 'model', stage: 'agent', causeId: 'e0' }],
    },
  ]);
});

it('reads events that went out as log records, through the span that they belong to', async () => {
  const { attributes } = { attributes: [{ key: 'nemo.gym.failure.event_id', value: { stringValue: 'e1' } }] };
  const record = { eventName: 'nemo.gym.failure', attributes, traceId: traceId(1), spanId: 'b'.repeat(16) };
  const other = { ...record, eventName: 'something.else' };
  const { spans } = await read([{ resourceLogs: [{ scopeLogs: [{ logRecords: [record, other] }] }] }]);
  expect(spans).toMatchObject([{ traceId: traceId(1), parentSpanId: 'b'.repeat(16), sightings: [{ eventId: 'e1' }] }]);
});

it('takes ids in upper case and numbers in both of their forms', async () => {
  const value = (key: string, given: object) => ({ key, value: given });
  const event = (id: object) => ({ name: 'nemo.gym.failure', attributes: [value('nemo.gym.failure.event_id', id)] });
  const given = {
    traceId: 'ABCDEF'.padEnd(32, '0'),
    attributes: [value('nemo.gym.rollout.id', { intValue: '7' })],
    events: [event({ intValue: 12 }), event({ intValue: '13' })],
  };
  const { spans } = await read([exportOf([given])]);
  expect(spans).toMatchObject([
    { traceId: 'abcdef'.padEnd(32, '0'), rolloutId: '7', sightings: [{ eventId: '12' }, { eventId: '13' }] },
  ]);
});

it('passes over whatever has another form', async () => {
  const odd = [
    {},
    { resourceMetrics: [{}] },
    { resourceSpans: null },
    { resourceSpans: [null, 3, { scopeSpans: 'x' }, { scopeSpans: [{ spans: [null, {}, { traceId: 3 }] }] }] },
    exportOf([
      { traceId: traceId(1), events: [null, {}, { name: 'nemo.gym.failure' }], attributes: [null, { key: 3 }] },
    ]),
    exportOf([{ traceId: traceId(2), attributes: [{ key: 'nemo.gym.rollout.id', value: { arrayValue: {} } }] }]),
  ];
  const { spans, said } = await read(odd);
  expect(said).toBe('');
  expect(spans.map((one) => [one.traceId, one.rolloutId, one.sightings.length])).toEqual([
    [traceId(1), undefined, 0],
    [traceId(2), undefined, 0],
  ]);
});

it('says when a file holds no spans', async () => {
  expect((await read([{ reward: 1 }])).said).toContain('holds no spans; expected OTLP JSON lines');
});
