import { Writable } from 'node:stream';
import { Output } from '../../src/command/output.ts';
import { runProgram } from '../../src/command/program.ts';

/** What a command said, and how it ended. */
export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs `ng-failures` in this process, with its output as a pipe has it. */
export async function runCommand(args: readonly string[]): Promise<CommandOutcome> {
  const [out, err] = [new Pipe(), new Pipe()];
  const streams = { out: new Output(out), err: new Output(err) };
  const code = await runProgram(args, streams);
  await Promise.all([streams.out.flush(), streams.err.flush()]);
  return { code, out: out.text, err: err.text };
}

class Pipe extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
