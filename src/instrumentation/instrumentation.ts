import { InstrumentationBase } from '@opentelemetry/instrumentation';
import { PACKAGE_NAME, PACKAGE_VERSION } from '../version.ts';
import { type NgFailureInstrumentationConfig, readSettings, type Settings } from './config.ts';
import { FetchHook } from './fetch.ts';
import type { Hook, HookHost } from './hook.ts';
import { HttpClientHook } from './http-client.ts';
import { Mirror } from './mirror.ts';
import { ServerHook } from './server.ts';
import { takeOver } from './stand-in.ts';

/**
 * Lets every reply of this process's servers carry its failure report, observes the reports of the replies to its own
 * calls, and shows failures on spans under the same ids. Works beside instrumentation-http and instrumentation-undici in
 * either order, and without a tracer: the reports are the same with tracing on, off, unsampled, or with no SDK at all.
 */
export class NgFailureInstrumentation extends InstrumentationBase<NgFailureInstrumentationConfig> implements HookHost {
  // The base constructor calls setConfig() and enable() before any initialiser of ours would run.
  declare private currentSettings: Settings;
  declare private hooks: readonly Hook[] | undefined;
  declare private on: boolean;

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
  }

  /** Nothing is patched, so that there is no module to name. */
  protected override init(): undefined {
    return undefined;
  }

  /** May be called twice (opentelemetry-js#2410). */
  override enable(): void {
    super.enable();
    takeOver(this);
    this.on = true;
    this.hooks ??= [new Mirror(this), new ServerHook(this), new HttpClientHook(this), new FetchHook(this)];
    for (const hook of this.hooks) hook.enable();
  }

  /** Leaves nothing on new requests; those being served keep what they have. */
  override disable(): void {
    super.disable();
    this.on = false;
    for (const hook of this.hooks ?? []) hook.disable();
  }
}
