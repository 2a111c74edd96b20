#!/usr/bin/env node
import { visible } from '../records/text.ts';
import { EXIT_USAGE } from './command.ts';
import { Output } from './output.ts';
import { runProgram } from './program.ts';

const out = new Output(process.stdout);
const err = new Output(process.stderr);
try {
  process.exitCode = await runProgram(process.argv.slice(2), { out, err });
} catch (error) {
  // A fault of the program must not look like a difference between rows and traces.
  const lines = (error instanceof Error ? (error.stack ?? error.message) : String(error)).split('\n');
  err.write(`ng-failures: internal error\n${lines.map(visible).join('\n')}\n`);
  process.exitCode = EXIT_USAGE;
}
await err.flush();
await out.flush();
