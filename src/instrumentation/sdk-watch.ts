import { type MeterProvider, metrics, type TextMapPropagator } from '@opentelemetry/api';
import { sharedState } from '../records/shared-state.ts';
import { FAILURES_CHANNEL, MODEL_OPERATION_CHANNEL, REPLY_CHANNEL } from '../transport/announce.ts';
import { ChannelSubscriptions } from '../transport/channels.ts';
import { NgFailurePropagator } from './propagator.ts';

/** Where the API's copies, of all 1.x releases, look for what an SDK has registered. It is only read here. */
const REGISTRY = Symbol.for('opentelemetry.js.api.1');

const ours = new NgFailurePropagator();
const joined = sharedState('joined-propagators', () => new WeakSet<TextMapPropagator>());

interface Registry {
  readonly metrics?: unknown;
  readonly propagation?: unknown;
}

const NOTHING: Registry = {};
/** Made at the first registration, and the same from then on. */
let registry: Registry = NOTHING;

/** What the watcher does with what it finds. */
export interface SdkWatchOptions {
  /** Whether {@link NgFailurePropagator} joins the propagator that is registered. */
  readonly propagator: boolean;
  /** Called when a meter provider comes, or another one: counters of the one before would count nothing. */
  readonly onMeterProvider: (provider: MeterProvider) => void;
}

/**
 * Meets an SDK that somebody else starts, before or after `/register`, whenever it comes: it looks at each moment at which
 * something is about to be traced or counted. Two reads while nothing has changed.
 */
export class SdkWatch extends ChannelSubscriptions {
  readonly #options: SdkWatchOptions;
  #meterProvider: unknown = registered().metrics;
  #propagator: unknown;

  constructor(options: SdkWatchOptions) {
    const look = (): void => this.#look();
    super('meeting the OpenTelemetry SDK', {
      'http.server.request.start': look,
      [String(FAILURES_CHANNEL.name)]: look,
      [String(REPLY_CHANNEL.name)]: look,
      [String(MODEL_OPERATION_CHANNEL.name)]: look,
    });
    this.#options = options;
  }

  #look(): void {
    const { metrics: meterProvider, propagation: propagator } = registered();
    if (meterProvider !== this.#meterProvider) {
      this.#meterProvider = meterProvider;
      this.#options.onMeterProvider(metrics.getMeterProvider());
    }
    if (propagator !== this.#propagator) {
      this.#propagator = propagator;
      if (this.#options.propagator && isPropagator(propagator)) join(propagator);
    }
  }
}

function registered(): Registry {
  if (registry === NOTHING) {
    const found: unknown = Reflect.get(globalThis, REGISTRY);
    if (typeof found === 'object' && found !== null) registry = found;
  }
  return registry;
}

/**
 * Lets a propagator extract with ours after it. The API would take a second registration only after `disable()`, and from
 * a copy of another exact release not even then: the process would be left without any propagator, its traces cut. So the
 * one that is registered stays, whatever it is, and only this one object is given an `extract` that adds the log.
 */
function join(propagator: TextMapPropagator): void {
  if (joined.has(propagator)) return;
  joined.add(propagator);
  const { extract } = propagator;
  propagator.extract = function extractWithLog(this: TextMapPropagator, ...args) {
    return ours.extract(Reflect.apply(extract, this, args), args[1]);
  };
}

function isPropagator(value: unknown): value is TextMapPropagator {
  return typeof value === 'object' && value !== null && 'extract' in value && typeof value.extract === 'function';
}
