import type { Settings } from './settings.ts';

/** What each hook asks of the instrumentation it belongs to, at the moment an event arrives. */
export interface HookHost {
  /** Whether it acts now. */
  isActive(): boolean;
  readonly settings: Settings;
}

/** A part of the instrumentation that can be turned on and off. Both may be called twice. */
export interface Hook {
  enable(): void;
  disable(): void;
}
