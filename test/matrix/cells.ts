/** A Node with a line of OpenTelemetry JS. The 3.x line needs Node 22.15. */
export interface Platform {
  readonly node: '20' | '22' | '24' | '26';
  readonly line: 'otel2' | 'otel3';
}

/** One way in which a user's server can be set up. */
export interface Setup {
  readonly modules: 'ESM' | 'CommonJS';
  /** Tracing: as usual, with `OTEL_SDK_DISABLED`, with a sampler that samples nothing, or no SDK at all. */
  readonly sdk: 'on' | 'off' | 'unsampled' | 'absent';
  /** Whether telemetry starts before the servers listen (`--import`, `--require`), or when they listen already. */
  readonly start: 'before' | 'after';
  /** Where our instrumentation stands in the list, HttpInstrumentation being the other. */
  readonly order: 'first' | 'last';
}

/** A server process: a setup with the package, or the very same server without it. */
export interface Cell extends Setup, Platform {
  readonly package: boolean;
}

const WAYS: readonly Omit<Setup, 'modules'>[] = [
  { sdk: 'on', start: 'before', order: 'first' },
  { sdk: 'on', start: 'before', order: 'last' },
  { sdk: 'on', start: 'after', order: 'first' },
  { sdk: 'on', start: 'after', order: 'last' },
  { sdk: 'off', start: 'before', order: 'last' },
  { sdk: 'unsampled', start: 'before', order: 'first' },
  { sdk: 'absent', start: 'before', order: 'first' },
  { sdk: 'absent', start: 'after', order: 'first' },
];

/** Every setup that a platform is tried with. */
export const SETUPS: readonly Setup[] = (['ESM', 'CommonJS'] as const).flatMap((modules) =>
  WAYS.map((way) => ({ modules, ...way })),
);

/** The same server without the package; where that would stand in the list is then all one. */
export function twinOf(cell: Cell): Cell {
  return { ...cell, package: false, order: 'first' };
}

/** A setup as a person would say it. */
export function nameOf({ modules, sdk, start, order }: Setup): string {
  const when = start === 'before' ? 'before the server listens' : 'after the server listens';
  if (sdk === 'absent') return `${modules}, no SDK, turned on ${when}`;
  const state = { on: 'SDK', off: 'disabled SDK', unsampled: 'SDK that samples nothing' }[sdk];
  return `${modules}, ${state} started ${when}, our instrumentation ${order === 'first' ? 'before' : 'after'} HttpInstrumentation`;
}
