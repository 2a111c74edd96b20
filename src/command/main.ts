#!/usr/bin/env node
import { Output } from './output.ts';
import { runProgram } from './program.ts';

const out = new Output(process.stdout);
const err = new Output(process.stderr);
process.exitCode = await runProgram(process.argv.slice(2), { out, err });
await err.flush();
await out.flush();
