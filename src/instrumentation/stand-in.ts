import { type MeterProvider, metrics } from '@opentelemetry/api';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.ts';
import type { NgFailureInstrumentationConfig } from './config.ts';
import type { Hook, HookHost } from './hook.ts';
import { makeHooks } from './hooks.ts';
import { NgFailureInstrumentation } from './instrumentation.ts';
import type { FailureLogRecord } from './log-records.ts';
import { FailureMetrics } from './metrics.ts';
import type { MirrorHost } from './mirror.ts';
import { readSettings, type Settings } from './settings.ts';

/**
 * What `/register` turns on: all that `NgFailureInstrumentation` does, without its base class. Making one of those before
 * somebody else's SDK is loaded would cost that its HTTP spans: the base class starts to watch what is required, the SDK
 * requires `http` for its exporters, and instrumentation-http, made after that, is not told of it any more (OpenTelemetry
 * JS 2.x).
 */
export class StandIn implements HookHost, MirrorHost {
  readonly settings: Settings;
  metrics: FailureMetrics;
  readonly #hooks: readonly Hook[];
  #on = true;
  #logging: NgFailureInstrumentation | undefined;

  constructor(config: NgFailureInstrumentationConfig) {
    this.settings = readSettings(config);
    this.metrics = metricsOf(metrics.getMeterProvider());
    this.#hooks = makeHooks(this);
    for (const hook of this.#hooks) hook.enable();
  }

  isActive(): boolean {
    return this.#on;
  }

  /** Counts with what an SDK that came later brought. */
  setMeterProvider(provider: MeterProvider): void {
    this.metrics = metricsOf(provider);
  }

  /** Only the base class knows where the Logs API is. By the first record the SDK is there. */
  emitLogRecord(record: FailureLogRecord): void {
    this.#logging ??= new NgFailureInstrumentation({ enabled: false });
    this.#logging.emitLogRecord(record);
  }

  /** Leaves nothing on new requests; those being served keep what they have. */
  disable(): void {
    this.#on = false;
    for (const hook of this.#hooks) hook.disable();
  }
}

function metricsOf(provider: MeterProvider): FailureMetrics {
  return new FailureMetrics(provider.getMeter(PACKAGE_NAME, PACKAGE_VERSION));
}
