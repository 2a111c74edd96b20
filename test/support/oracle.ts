/**
 * What `docs/wire.md` says of a report that is read, written down a second time and on purpose without anything of
 * `src/`: slow and plain, so that the fast reader can be compared with it.
 */
const BOUNDARIES = ['model', 'harness', 'agent', 'resources_server', 'environment', 'collection'];
const STAGES = ['admission', 'seed', 'agent', 'verification', 'cleanup'];
const KINDS = (
  'transport_unreachable transport_peer_drop transport_timeout transport_local_resource agent_run_error ' +
  'agent_request_failed agent_timeout agent_command_not_allowed judge_failed judge_unparseable verifier_error ' +
  'provider_unavailable provider_quota_exhausted provider_oom_killed session_lost session_expired ' +
  'session_release_failed cancelled kill_shaped shutdown persistence_failed cohort_incomplete'
).split(' ');

type Members = Map<string, unknown>;

/** The report's wire form as JSON data; `undefined` when it is not valid. `value` is what `JSON.parse` gave. */
export function expectedReport(value: unknown): unknown {
  if (!isJson(value, 1)) return undefined;
  const report = membersOf(value);
  if (report === undefined) return undefined;
  const failureId = report.get('failure_id') ?? null;
  const omitted = report.get('omitted') ?? false;
  const given = report.get('events') ?? {};
  if (failureId !== null && typeof failureId !== 'string') return undefined;
  if (typeof omitted !== 'boolean') return undefined;
  const entries = membersOf(given);
  if (entries === undefined) return undefined;
  const events = new Map<string, Members>();
  for (const [id, event] of entries) {
    const read = expectedEvent(event, id);
    if (read === undefined) return undefined;
    events.set(id, read);
  }
  if (!isLinked(events) || (failureId !== null && !events.has(failureId))) return undefined;
  return {
    ...(failureId === null ? {} : { failure_id: failureId }),
    ...(events.size === 0
      ? {}
      : { events: objectOf(new Map([...events].map(([id, event]) => [id, objectOf(event)]))) }),
    ...(omitted ? { omitted } : {}),
  };
}

function expectedEvent(value: unknown, id: string): Members | undefined {
  const event = withoutNulls(membersOf(value));
  if (event === undefined) return undefined;
  if (!event.has('event_id')) event.set('event_id', id);
  if (event.get('event_id') !== id || id === '') return undefined;
  const kind = expectedKind(event.get('failure_kind'));
  if (kind === undefined) return undefined;
  event.set('failure_kind', kind);
  if (!BOUNDARIES.includes(String(event.get('boundary'))) || !isText(event.get('boundary'))) return undefined;
  if (!isText(event.get('failure_reason'))) return undefined;
  if (event.has('stage') && !(isText(event.get('stage')) && STAGES.includes(String(event.get('stage')))))
    return undefined;
  if (event.has('operation') && !isText(event.get('operation'))) return undefined;
  if (event.has('http_status') && !isStatus(event.get('http_status'))) return undefined;
  if (event.has('cause_id') && !(isText(event.get('cause_id')) && event.get('cause_id') !== '')) return undefined;
  if (event.has('details') && membersOf(event.get('details')) === undefined) return undefined;
  if (event.has('foreign_error')) {
    const foreign = withoutNulls(membersOf(event.get('foreign_error')));
    if (foreign === undefined) return undefined;
    if (!isText(foreign.get('exception_type')) || foreign.get('exception_type') === '') return undefined;
    if (!isText(foreign.get('message'))) return undefined;
    if (foreign.has('http_status') && !isStatus(foreign.get('http_status'))) return undefined;
    event.set('foreign_error', objectOf(foreign));
  }
  return event;
}

function expectedKind(kind: unknown): string | undefined {
  if (typeof kind !== 'string') return undefined;
  if (KINDS.includes(kind)) return kind;
  const parts = kind.split(':');
  if (!parts.every((part) => part !== '' && [...part].every(isNameChar) && /[a-z]/.test(part.charAt(0))))
    return undefined;
  if (parts.length === 1) return `unregistered:${kind}`;
  return parts.length === 2 ? kind : undefined;
}

function isNameChar(char: string): boolean {
  return 'abcdefghijklmnopqrstuvwxyz0123456789_'.includes(char);
}

/** Every cause is there, and from each event its causes come to an end. */
function isLinked(events: ReadonlyMap<string, Members>): boolean {
  for (const start of events.values()) {
    let event: Members | undefined = start;
    for (let steps = 0; event.has('cause_id'); steps += 1) {
      event = events.get(String(event.get('cause_id')));
      if (event === undefined || steps > events.size) return false;
    }
  }
  return true;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isStatus(value: unknown): boolean {
  return typeof value === 'number' && Math.floor(value) === value && value >= 100 && value <= 599;
}

function isJson(value: unknown, level: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return true;
  if (level > 100) return false;
  return Object.entries(value).every(([key, member]) => isJson(key, level) && isJson(member, level + 1));
}

function membersOf(value: unknown): Members | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value));
}

function withoutNulls(members: Members | undefined): Members | undefined {
  return members && new Map([...members].filter(([, member]) => member !== null));
}

function objectOf(members: ReadonlyMap<string, unknown>): object {
  return Object.fromEntries(members);
}
