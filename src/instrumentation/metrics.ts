import type { Attributes, Context, Meter } from '@opentelemetry/api';
import { isRegistered } from '../records/kinds.ts';
import type { ModelOperationObservation } from '../records/model-operation.ts';
import { sharedState } from '../records/shared-state.ts';
import type { FailuresObserved, ReplyReported } from '../transport/announce.ts';
import type { RequestFailureLog } from '../transport/request-log.ts';
import * as names from './attributes.ts';
import type { ObservedEvents } from './observed-events.ts';
import { ANYWHERE, SeenIds } from './seen.ts';

/** Kinds come from other machines. So many that nobody registered here get a label of their own; the rest share one. */
const MAX_FOREIGN_KINDS = 200;
const MAX_KIND_LENGTH = 100;
/** OpenTelemetry's word for a value outside of a bounded set. */
const OTHER = '_OTHER';
/** Ids of one request, or of a process outside of requests, that are not counted a second time. */
const MAX_IDS = 5000;
const ATTEMPT_BUCKETS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20];
const SECONDS_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const foreignKinds = sharedState('metric-kinds', () => new Set<string>());
const countedEvents = new SeenIds('counted-events', MAX_IDS);
const countedOperations = new SeenIds('counted-operations', MAX_IDS);
const countedOmissions = sharedState('counted-omissions', () => new WeakSet<object>());
const countedDrops = sharedState('counted-drops', () => new WeakMap<RequestFailureLog, number>());

/** Counts what the mirror hears, each event once a request. Labels hold neither ids nor reasons. */
export class FailureMetrics {
  readonly #failures;
  readonly #omitted;
  readonly #dropped;
  readonly #operations;
  readonly #attempts;
  readonly #retryWait;
  readonly #duration;

  constructor(meter: Meter) {
    this.#failures = meter.createCounter(names.METRIC_FAILURES, {
      unit: '{failure}',
      description: 'Failure events, each once a request.',
    });
    this.#omitted = meter.createCounter(names.METRIC_OMITTED, {
      unit: '{report}',
      description: 'Failure reports that lost evidence, once a request.',
    });
    this.#dropped = meter.createCounter(names.METRIC_DROPPED, {
      unit: '{failure}',
      description: 'Failure events that a full request log did not keep.',
    });
    this.#operations = meter.createCounter(names.METRIC_OPERATIONS, {
      unit: '{operation}',
      description: 'Logical model calls that ended.',
    });
    this.#attempts = meter.createHistogram(names.METRIC_ATTEMPTS, {
      unit: '{attempt}',
      description: 'HTTP attempts of a logical model call.',
      advice: { explicitBucketBoundaries: ATTEMPT_BUCKETS },
    });
    this.#retryWait = meter.createHistogram(names.METRIC_RETRY_WAIT, {
      unit: 's',
      description: 'Time that a logical model call waited between its attempts.',
      advice: { explicitBucketBoundaries: SECONDS_BUCKETS },
    });
    this.#duration = meter.createHistogram(names.METRIC_DURATION, {
      unit: 's',
      description: 'Time from the first attempt of a logical model call to its end.',
      advice: { explicitBucketBoundaries: SECONDS_BUCKETS },
    });
  }

  /** Counts an announcement's events, and whether it tells of lost ones. */
  failures({ log, source, report }: FailuresObserved, events: ObservedEvents, where: Context): void {
    for (const event of events.causesFirst) {
      if (!countedEvents.isNew(log ?? ANYWHERE, event.event_id)) continue;
      const labels: Attributes = {
        [names.EVENT_BOUNDARY]: event.boundary,
        [names.EVENT_KIND]: kindLabel(event.failure_kind),
        [names.EVENT_ORIGIN]: events.originOf(event),
      };
      if (event.stage !== undefined) labels[names.EVENT_STAGE] = event.stage;
      this.#failures.add(1, labels, where);
    }
    // Outside of a request several may tell of one reply; only one of them names it.
    if (report.omitted) this.#countOmitted(log ?? source, where);
    this.#countDropped(log, where);
  }

  /** Counts what a reply lost. */
  reply({ log, report, sent }: ReplyReported, where: Context): void {
    if (report.omitted || sent === 'omitted') this.#countOmitted(log, where);
    this.#countDropped(log, where);
  }

  /** Counts a logical model call. */
  operation(operation: ModelOperationObservation, log: RequestFailureLog | undefined, where: Context): void {
    if (!countedOperations.isNew(log ?? ANYWHERE, operation.operation_id)) return;
    const labels = { [names.MODEL_OUTCOME]: operation.outcome };
    const { http_attempts: attempts, retry_wait_s: wait, request_elapsed_ms: elapsed } = operation;
    this.#operations.add(1, labels, where);
    if (attempts !== undefined) this.#attempts.record(attempts, labels, where);
    if (wait !== undefined) this.#retryWait.record(wait, labels, where);
    if (elapsed !== undefined) this.#duration.record(elapsed / 1000, labels, where);
  }

  #countOmitted(scope: object | undefined, where: Context): void {
    if (scope === undefined || countedOmissions.has(scope)) return;
    countedOmissions.add(scope);
    this.#omitted.add(1, {}, where);
  }

  #countDropped(log: RequestFailureLog | undefined, where: Context): void {
    if (log === undefined || log.droppedEvents === 0) return;
    const fresh = log.droppedEvents - (countedDrops.get(log) ?? 0);
    countedDrops.set(log, log.droppedEvents);
    if (fresh > 0) this.#dropped.add(fresh, {}, where);
  }
}

function kindLabel(kind: string): string {
  if (isRegistered(kind) || foreignKinds.has(kind)) return kind;
  if (foreignKinds.size >= MAX_FOREIGN_KINDS || kind.length > MAX_KIND_LENGTH) return OTHER;
  foreignKinds.add(kind);
  return kind;
}
