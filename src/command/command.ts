import type { Arguments, OptionSpec } from './arguments.ts';
import type { Output } from './output.ts';

/** All is well; for `reconcile`: all ids are on both sides. */
export const EXIT_OK = 0;
/** Rows and traces differ, or lines could not be read. */
export const EXIT_FOUND = 1;
/** The command line is wrong, or a file cannot be read at all. */
export const EXIT_USAGE = 2;

/** Where a command writes. */
export interface Streams {
  readonly out: Output;
  readonly err: Output;
}

/** One command of `ng-failures`. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  readonly usage: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** Loads the command's code only when it runs. Gives back the exit code. */
  run(args: Arguments, streams: Streams): Promise<number>;
}
