import fc from 'fast-check';

/** Ids as other machines send them: mostly like our own, sometimes the names that an object has anyway. */
export const eventId: fc.Arbitrary<string> = fc.oneof(
  // Few names, so that reports share some.
  { weight: 4, arbitrary: fc.constantFrom('a1', 'b2', 'c3', 'd4', 'e5', '6a1f0c9d27b84e35a0d1c2b3e4f50617') },
  { weight: 2, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', '0', '1') },
  { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 5, unit: 'binary' }) },
);

export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ maxLength: 20, unit: 'binary' }),
  fc.constantFrom('', '\r\n', '\u007f\u0000', '\u2028', '漢字 😀', '"\\', '\\ud800'),
);

const kind = fc.constantFrom(
  'transport_timeout',
  'judge_failed',
  'cancelled',
  'browser_env:page_crashed',
  'gpu_on_fire',
);
const status = fc.integer({ min: 100, max: 599 });
const boundary = fc.constantFrom(
  ...(['model', 'harness', 'agent', 'resources_server', 'environment', 'collection'] as const),
);
const stage = fc.constantFrom(...(['admission', 'seed', 'agent', 'verification', 'cleanup'] as const));
/** Mostly ready-made values: making random JSON takes far longer than what is tested with it. */
const json: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom<unknown[]>(null, true, 0, -1.5, 1e21, 'text', '漢😀', [], {}, [1, [null]]) },
  { weight: 3, arbitrary: fc.constantFrom<unknown[]>({ a: { b: null } }, JSON.parse('{"__proto__":{"x":1}}')) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }) },
);
const object = fc.oneof(
  { weight: 4, arbitrary: json.map((value) => ({ exit_code: value })) },
  { weight: 1, arbitrary: fc.dictionary(fc.oneof(text, fc.constant('__proto__')), json, { maxKeys: 3 }) },
);

const foreignError = fc.record(
  {
    exception_type: fc.constantFrom('TimeoutError', 'Ü', 'openai.APIError'),
    message: text,
    http_status: status,
    code: json,
  },
  { requiredKeys: ['exception_type', 'message'] },
);

const eventMembers = fc.record(
  {
    boundary,
    failure_kind: kind,
    failure_reason: text,
    stage,
    operation: text,
    http_status: status,
    foreign_error: foreignError,
    details: object,
    shard: json,
  },
  { requiredKeys: ['boundary', 'failure_kind', 'failure_reason'] },
);

/** A report in its wire form; causes lead to earlier events only, and the events are then put in any order. */
export const reportRecord: fc.Arbitrary<Record<string, unknown>> = fc
  .record({
    ids: fc.uniqueArray(eventId, { maxLength: 6 }),
    members: fc.array(eventMembers, { minLength: 6, maxLength: 6 }),
    causes: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
    own: fc.option(fc.nat()),
    omitted: fc.boolean(),
    backwards: fc.boolean(),
  })
  .map(({ ids, members, causes, own, omitted, backwards }) => {
    const entries = ids.map((id, index): [string, unknown] => {
      const cause = ids[(causes[index] ?? 0) % 8];
      const linked = cause !== undefined && ids.indexOf(cause) < index;
      return [id, { event_id: id, ...members[index], ...(linked ? { cause_id: cause } : {}) }];
    });
    const events = Object.fromEntries(backwards ? entries.reverse() : entries);
    return {
      ...(own === null || ids.length === 0 ? {} : { failure_id: ids[own % ids.length] }),
      ...(ids.length === 0 ? {} : { events }),
      ...(omitted ? { omitted } : {}),
    };
  });

const odd = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    '',
    0,
    -1,
    42,
    504,
    504.5,
    600,
    1e300,
    '504',
    true,
    [],
    {},
    'Gpu On Fire',
    'judge_failed\n',
  ),
  fc.constantFrom<unknown[]>('a:b:c', ':a', 'a:', '_a', 'a1:b_2', 'agent', 'x'.repeat(3000), '\ud800', [null], {
    a: null,
  }),
  json,
);
const eventKeys = fc.constantFrom(
  ...['event_id', 'boundary', 'failure_kind', 'failure_reason', 'stage', 'operation', 'http_status', 'cause_id'],
  ...['foreign_error', 'details', 'shard', '__proto__', 'constructor'],
);

/** What one change makes of a report: most of them spoil it, some it must bear. */
interface Change {
  readonly where: 'report' | 'event' | 'foreign';
  readonly key: string;
  readonly value: unknown;
  readonly remove: boolean;
  readonly pick: number;
}

const change: fc.Arbitrary<Change> = fc.record({
  where: fc.constantFrom(...(['report', 'event', 'event', 'event', 'foreign'] as const)),
  key: fc.oneof(
    { weight: 8, arbitrary: eventKeys },
    { weight: 2, arbitrary: fc.constantFrom('failure_id', 'events', 'omitted', 'exception_type', 'message') },
    { weight: 1, arbitrary: text },
  ),
  value: odd,
  remove: fc.boolean(),
  pick: fc.nat(),
});

/** JSON data that is nearly a report. */
export const nearlyReport: fc.Arbitrary<unknown> = fc
  .tuple(reportRecord, fc.array(change, { minLength: 1, maxLength: 2 }))
  .map(([record, changes]) => changes.reduce(changed, record));

function changed(
  record: Record<string, unknown>,
  { where, key, value, remove, pick }: Change,
): Record<string, unknown> {
  if (where === 'report') return withMember(record, key, value, remove);
  const events = objectOr(record.events);
  const ids = Object.keys(events);
  const id = ids[pick % Math.max(1, ids.length)];
  if (id === undefined) return record;
  const event = objectOr(Object.getOwnPropertyDescriptor(events, id)?.value);
  const next =
    where === 'event'
      ? withMember(event, key, value, remove)
      : withMember(event, 'foreign_error', withMember(objectOr(event.foreign_error), key, value, remove), false);
  return { ...record, events: withMember(events, id, next, false) };
}

function objectOr(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function withMember(
  target: Record<string, unknown>,
  key: string,
  value: unknown,
  remove: boolean,
): Record<string, unknown> {
  const entries = Object.entries(target).filter(([name]) => name !== key);
  return Object.fromEntries(remove ? entries : [...entries, [key, value]]);
}

/** A row with fields of its own and perhaps a saved report, valid or not. */
export const row: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(object, fc.option(fc.oneof(reportRecord, nearlyReport)))
  .map(([fields, saved]) => {
    const report = objectOr(saved);
    return {
      ...fields,
      ...('events' in report ? { _ng_failure_events: report.events } : {}),
      ...('failure_id' in report ? { _ng_failure_id: report.failure_id } : {}),
      ...('omitted' in report ? { _ng_failure_events_omitted: report.omitted } : {}),
    };
  });
