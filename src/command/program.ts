import packageJson from '../../package.json' with { type: 'json' };
import { type OptionSpec, readArguments, UsageError } from './arguments.ts';
import { type Command, EXIT_OK, EXIT_USAGE, type Streams } from './command.ts';
import { DEFAULT_JAEGER_URL } from './jaeger/address.ts';
import { FINDER_OPTIONS, JAEGER_OPTIONS, JAEGER_URL_OPTION } from './jaeger/jaeger-options.ts';
import { UnreadableFileError } from './problems.ts';
import { oneLine } from './text.ts';

const NAME = 'ng-failures';
const TRACES: OptionSpec = {
  value: 'OTLP.jsonl',
  help: 'traces, as the Collector’s file exporter writes them; repeatable',
};
const JSON_OUTCOME: OptionSpec = { help: 'print the outcome as JSON' };

const SHOW_USAGE = `${NAME} show ROWS.jsonl… [--traces OTLP.jsonl]`;
const RECONCILE_USAGE = `${NAME} reconcile ROWS.jsonl… (--traces OTLP.jsonl | --jaeger URL) [--sampled] [--json]`;
const TRACE_USAGE = `${NAME} trace ROWS.jsonl[:LINE]… [--jaeger URL] [--all] [--json]`;
const SUMMARY_USAGE = `${NAME} summary ROWS.jsonl… [--html FILE] [--jaeger URL] [--json]`;

const COMMANDS: Readonly<Record<string, Command>> = {
  show: {
    summary: 'print what failed in each saved rollout, as trees of causes',
    usage: SHOW_USAGE,
    options: { traces: TRACES },
    run: async (args, streams) => (await import('./show/show.ts')).show(args, streams, SHOW_USAGE),
  },
  reconcile: {
    summary: 'compare the failure ids of saved rollouts with those of traces, both ways',
    usage: RECONCILE_USAGE,
    options: {
      traces: TRACES,
      jaeger: JAEGER_URL_OPTION,
      sampled: { help: 'traces were sampled: rollouts without any trace are no findings' },
      json: JSON_OUTCOME,
      ...JAEGER_OPTIONS,
    },
    run: async (args, streams) =>
      (await import('./reconcile/reconcile-command.ts')).reconcileCommand(args, streams, RECONCILE_USAGE),
  },
  trace: {
    summary: 'print where in Jaeger the trace of each failed row is',
    usage: TRACE_USAGE,
    options: {
      jaeger: { ...JAEGER_URL_OPTION, help: `Jaeger’s address (default ${DEFAULT_JAEGER_URL})` },
      all: { help: 'all rows, also those without a failure' },
      json: JSON_OUTCOME,
      ...FINDER_OPTIONS,
    },
    run: async (args, streams) => (await import('./trace/trace-command.ts')).traceCommand(args, streams, TRACE_USAGE),
  },
  summary: {
    summary: 'count what failed in all rows together, and write a page of it',
    usage: SUMMARY_USAGE,
    options: {
      html: { value: 'FILE', help: 'write a page that needs nothing else: chart, tables, chains' },
      jaeger: { ...JAEGER_URL_OPTION, help: 'link the ids to their traces in this Jaeger' },
      json: JSON_OUTCOME,
      ...FINDER_OPTIONS,
    },
    run: async (args, streams) =>
      (await import('./summary/summary-command.ts')).summaryCommand(args, streams, SUMMARY_USAGE),
  },
};

/** Runs the program with `args` (without node and script). Gives back the exit code; never throws for bad input. */
export async function runProgram(args: readonly string[], streams: Streams): Promise<number> {
  const [name, ...rest] = args;
  let prefix = NAME;
  try {
    if (name === '--version') return print(streams, packageJson.version);
    if (name === '--help' || name === '-h' || name === 'help') return print(streams, help(rest[0]));
    if (name === undefined) throw new UsageError(`name a command\n\n${programHelp()}`);
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined) throw new UsageError(unknownCommand(name));
    prefix = `${NAME} ${name}`;
    const parsed = readArguments(rest, command.options);
    if (parsed.switches.has('help')) return print(streams, commandHelp(command));
    return await command.run(parsed, streams);
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof UnreadableFileError)) throw error;
    streams.err.write(`${prefix}: ${error.message}\n`);
    return EXIT_USAGE;
  }
}

function print({ out }: Streams, text: string): number {
  out.write(`${text}\n`);
  return EXIT_OK;
}

/** `help COMMAND` is that command's help; anything else is the program's. */
function help(name = ''): string {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return command === undefined ? programHelp() : commandHelp(command);
}

function unknownCommand(name: string): string {
  const what = name.startsWith('-') ? 'option' : 'command';
  const valid = [...Object.keys(COMMANDS), '--help', '--version'].join(', ');
  return `unknown ${what} "${oneLine(name, 80)}"; valid: ${valid}`;
}

function programHelp(): string {
  const commands = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(11)}${summary}`);
  return [
    `${NAME}: failures in saved rollouts, and the same failures in traces`,
    '',
    ...Object.values(COMMANDS).map(({ usage }, index) => `${index === 0 ? 'Usage: ' : '       '}${usage}`),
    '',
    'Commands:',
    ...commands,
    '',
    `Options: --version, --help; ${NAME} COMMAND --help tells more.`,
    '',
    ...EXIT_CODES,
  ].join('\n');
}

function commandHelp({ summary, usage, options }: Command): string {
  const lines = Object.entries(options).map(([name, { value, help }]) => {
    return `  ${(value ? `--${name} ${value}` : `--${name}`).padEnd(22)}${help}`;
  });
  return [
    `Usage: ${usage}`,
    '',
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    '',
    ...lines,
    '',
    ...EXIT_CODES,
  ].join('\n');
}

const EXIT_CODES = [
  'Exit codes: 0 all is well, 1 rows and traces differ, nothing to compare, or lines could not be read,',
  '            2 wrong command line or a file that cannot be read.',
];
