import { shown } from '../records/text.ts';
import { HEADER_BYTES_RANGE, isMaxHeaderBytes } from '../transport/reply/header-limit.ts';
import type { NgFailureInstrumentationConfig } from './config.ts';

/** As for all of OpenTelemetry's switches: what is not set is false. */
const PREFIX = 'OTEL_NEMO_GYM_';
const DISABLED = `${PREFIX}DISABLED`;
const MAX_HEADER_BYTES = `${PREFIX}MAX_HEADER_BYTES`;
const STACK_TRACES_DISABLED = `${PREFIX}STACK_TRACES_DISABLED`;
const METRICS_DISABLED = `${PREFIX}METRICS_DISABLED`;
const PROPAGATOR_DISABLED = `${PREFIX}PROPAGATOR_DISABLED`;
const KNOWN: readonly string[] = [
  DISABLED,
  MAX_HEADER_BYTES,
  STACK_TRACES_DISABLED,
  METRICS_DISABLED,
  PROPAGATOR_DISABLED,
];

/** The list that auto-instrumentations-node reads, and this package's name in it. */
const DISABLED_INSTRUMENTATIONS = 'OTEL_NODE_DISABLED_INSTRUMENTATIONS';
const SHORT_NAME = 'nemo-gym';

type Environment = Readonly<Record<string, string | undefined>>;

/** What `/register` is told by the environment. */
export interface RegisterSettings {
  readonly enabled: boolean;
  /** Whether `NgFailurePropagator` joins the propagator that an SDK registers. */
  readonly propagator: boolean;
  readonly config: NgFailureInstrumentationConfig;
}

/**
 * Reads the environment variables of `/register`.
 *
 * @param tell - is given one line for each value that cannot be used; its default counts then
 */
export function readEnvironment(env: Environment, tell: (line: string) => void): RegisterSettings {
  for (const name of Object.keys(env)) {
    if (name.startsWith(PREFIX) && !KNOWN.includes(name)) {
      tell(`${name} is not known; the variables are ${KNOWN.join(', ')}. It is ignored`);
    }
  }
  const flag = (name: string): boolean => readFlag(env, name, tell);
  const config: NgFailureInstrumentationConfig = {
    mirror: { stackTraces: !flag(STACK_TRACES_DISABLED), metrics: !flag(METRICS_DISABLED) },
  };
  const maxHeaderBytes = readHeaderLimit(env, tell);
  if (maxHeaderBytes !== undefined) config.server = { maxHeaderBytes };
  const listed = namesIn(env[DISABLED_INSTRUMENTATIONS]).includes(SHORT_NAME);
  return { enabled: !flag(DISABLED) && !listed, propagator: !flag(PROPAGATOR_DISABLED), config };
}

function readFlag(env: Environment, name: string, tell: (line: string) => void): boolean {
  const text = env[name]?.trim().toLowerCase() ?? '';
  if (text === 'true') return true;
  if (text !== '' && text !== 'false') tell(`${name} is ${shown(env[name])}; give true or false. false is used`);
  return false;
}

function readHeaderLimit(env: Environment, tell: (line: string) => void): number | undefined {
  const text = env[MAX_HEADER_BYTES]?.trim() ?? '';
  if (text === '') return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : undefined;
  if (isMaxHeaderBytes(value)) return value;
  tell(`${MAX_HEADER_BYTES} is ${shown(env[MAX_HEADER_BYTES])}; ${HEADER_BYTES_RANGE}`);
  return undefined;
}

function namesIn(list: string | undefined): string[] {
  return (list ?? '').split(',').map((name) => name.trim());
}
