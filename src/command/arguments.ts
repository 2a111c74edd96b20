import { type ParseArgsConfig, parseArgs } from 'node:util';
import { counted, oneLine } from './text.ts';

/** A command line that is not understood; the command ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An option of a command. */
export interface OptionSpec {
  /** What its value is, e.g. `FILE`; without one the option is a switch. */
  readonly value?: string;
  readonly help: string;
}

/** What a command line says. */
export interface Arguments {
  readonly files: readonly string[];
  readonly switches: ReadonlySet<string>;
  /** The values of each option, in order. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads a command's arguments. Every option that has a value may be repeated.
 *
 * @throws UsageError that names the argument and what is valid
 */
export function readArguments(args: readonly string[], options: Readonly<Record<string, OptionSpec>>): Arguments {
  const config: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
  for (const [name, { value }] of Object.entries(options)) config[name] = { type: value ? 'string' : 'boolean' };
  // Not strict: parseArgs's own messages do not name what is valid.
  const { tokens } = parseArgs({
    args: [...args],
    options: config,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const files: string[] = [];
  const switches = new Set<string>();
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') files.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const spec = name === 'help' ? { help: '' } : Object.hasOwn(options, name) ? options[name] : undefined;
    if (spec === undefined) throw new UsageError(`unknown option ${oneLine(rawName)}; valid: ${validOptions(options)}`);
    if (spec.value === undefined) {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value, got "${oneLine(value)}"`);
      switches.add(name);
    } else if (value === undefined || value === '' || (inlineValue !== true && value.startsWith('-'))) {
      throw new UsageError(`${rawName} needs a value: ${rawName} ${spec.value}`);
    } else {
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return { files, switches, values };
}

function validOptions(options: Readonly<Record<string, OptionSpec>>): string {
  const named = Object.entries(options).map(([name, { value }]) => (value ? `--${name} ${value}` : `--${name}`));
  return [...named, '--help'].join(', ');
}

/**
 * The files named, at least one.
 *
 * @throws UsageError when there is none
 */
export function requireFiles(files: readonly string[], usage: string): readonly string[] {
  if (files.length > 0) return files;
  throw new UsageError(`name at least ${counted(1, 'file')} of rows: ${usage}`);
}
