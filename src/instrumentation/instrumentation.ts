import type { Span } from '@opentelemetry/api';
import { InstrumentationBase } from '@opentelemetry/instrumentation';
import { setAcceptPolicy } from '../transport/believed.ts';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.ts';
import { showOnClientSpan, type UndiciReply } from './client-span.ts';
import type { NgFailureInstrumentationConfig } from './config.ts';
import type { Hook, HookHost } from './hook.ts';
import { makeHooks } from './hooks.ts';
import type { FailureLogRecord } from './log-records.ts';
import { FailureMetrics } from './metrics.ts';
import type { MirrorHost } from './mirror.ts';
import { readSettings, type Settings } from './settings.ts';
import { takeOver } from './take-over.ts';

/**
 * Lets every reply of this process's servers carry its failure report, observes the reports of the replies to its own
 * calls, and shows failures on spans under the same ids. Works beside instrumentation-http and instrumentation-undici in
 * either order, and without a tracer: the reports are the same with tracing on, off, unsampled, or with no SDK at all.
 */
export class NgFailureInstrumentation
  extends InstrumentationBase<NgFailureInstrumentationConfig>
  implements HookHost, MirrorHost
{
  // The base constructor calls setConfig() and enable() before any initialiser of ours would run.
  declare private currentSettings: Settings;
  declare private hooks: readonly Hook[] | undefined;
  declare private on: boolean;
  declare private counters: FailureMetrics;

  /**
   * For those who want the failures that came with a reply on the CLIENT span of instrumentation-undici as well, and not
   * only on the span in which the call was made: `new UndiciInstrumentation({ responseHook: failures.undiciResponseHook })`.
   * Span events only, what `mirror.signal` says of them included. Never throws.
   */
  readonly undiciResponseHook = (span: Span, reply: UndiciReply): void => showOnClientSpan(this, span, reply);

  /** @param config - a value that cannot be used is one diagnostic line and its default; nothing throws */
  constructor(config: NgFailureInstrumentationConfig = {}) {
    super(PACKAGE_NAME, PACKAGE_VERSION, config);
  }

  /** The options with every default filled in. */
  get settings(): Settings {
    return this.currentSettings;
  }

  /** Whether it acts now: NodeSDK enables an instrumentation that was made with `enabled: false`. */
  isActive(): boolean {
    return this.on && this.currentSettings.enabled;
  }

  /** Replaces all options; `setConfig({})` turns on again what `enabled: false` had turned off. */
  override setConfig(config: NgFailureInstrumentationConfig = {}): void {
    super.setConfig(config);
    this.currentSettings = readSettings(this.getConfig());
    this.applyAcceptPolicy();
  }

  /**
   * The counters, made anew for each meter.
   * @internal
   */
  get metrics(): FailureMetrics {
    return this.counters;
  }

  /** Called by the base class, by its constructor first. */
  protected override _updateMetricInstruments(): void {
    this.counters = new FailureMetrics(this.meter);
  }

  /**
   * Hands a record to the logger that the base class was given.
   * @internal
   */
  emitLogRecord(record: FailureLogRecord): void {
    this.logger.emit(record);
  }

  /** Nothing is patched, so that there is no module to name. */
  protected override init(): undefined {
    return undefined;
  }

  /** May be called twice (opentelemetry-js#2410). */
  override enable(): void {
    super.enable();
    takeOver();
    this.on = true;
    this.hooks ??= makeHooks(this);
    for (const hook of this.hooks) hook.enable();
    this.applyAcceptPolicy();
  }

  /** Leaves nothing on new requests; those being served keep what they have. */
  override disable(): void {
    super.disable();
    this.on = false;
    for (const hook of this.hooks ?? []) hook.disable();
    this.applyAcceptPolicy();
  }

  /** It holds for the whole process, also where the app itself reads a reply. */
  private applyAcceptPolicy(): void {
    setAcceptPolicy(this, this.isActive() ? this.currentSettings.acceptReportFrom : undefined);
  }
}
