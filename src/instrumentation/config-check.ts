import { nearest, shown } from '../records/text.ts';
import { tellOfOption } from '../transport/guard.ts';
import type {
  NgFailureClientConfig,
  NgFailureInstrumentationConfig,
  NgFailureMirrorConfig,
  NgFailureServerConfig,
} from './config.ts';

const SERVER: readonly (keyof NgFailureServerConfig)[] = ['maxHeaderBytes', 'sendReportTo', 'ignoreRequest'];
const CLIENT: readonly (keyof NgFailureClientConfig)[] = ['acceptReportFrom', 'ignoreRequest'];
const MIRROR: readonly (keyof NgFailureMirrorConfig)[] = ['signal', 'metrics', 'stackTraces', 'attributesFor'];
const TOP: readonly (keyof NgFailureInstrumentationConfig)[] = ['enabled', 'server', 'client', 'mirror', 'redact'];

/** Every option by its whole name. */
const OPTIONS: readonly string[] = [
  ...TOP,
  ...SERVER.map((name) => `server.${name}`),
  ...CLIENT.map((name) => `client.${name}`),
  ...MIRROR.map((name) => `mirror.${name}`),
];

/** The parts of a config that are what they should be; each slip in the others is one diagnostic line. */
export function readSections(
  config: NgFailureInstrumentationConfig,
): Pick<NgFailureInstrumentationConfig, 'server' | 'client' | 'mirror'> {
  tellUnknown(config, TOP, '');
  return {
    ...section('server', config.server, SERVER),
    ...section('client', config.client, CLIENT),
    ...section('mirror', config.mirror, MIRROR),
  };
}

function section<K extends string, T extends object>(
  name: K,
  value: T | undefined,
  members: readonly string[],
): Partial<Record<K, T>> | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    tellOfOption(`${name} is ${shown(value)}; give an object with ${members.join(', ')}. It is ignored`);
    return undefined;
  }
  tellUnknown(value, members, `${name}.`);
  const read: Partial<Record<string, T>> = { [name]: value };
  return read;
}

function tellUnknown(value: object, members: readonly string[], prefix: string): void {
  for (const [key, given] of Object.entries(value)) {
    if (given === undefined || members.includes(key)) continue;
    const meant = OPTIONS.find((option) => option.endsWith(`.${key}`)) ?? nearest(`${prefix}${key}`, OPTIONS);
    const remedy = meant === undefined ? `the options are ${members.join(', ')}` : `did you mean ${meant}?`;
    tellOfOption(`the option ${prefix}${key} is not known; ${remedy}${meant === undefined ? '.' : ''} It is ignored`);
  }
}

/** A switch that a user gave. One that is neither true nor false is one diagnostic line and the default. */
export function readFlag(name: string, value: unknown, byDefault: boolean): boolean {
  if (typeof value === 'boolean') return value;
  if (value !== undefined) tellOfOption(`${name} is ${shown(value)}; give true or false. ${byDefault} is used`);
  return byDefault;
}
