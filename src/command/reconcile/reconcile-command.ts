import { type Arguments, requireFiles, UsageError } from '../arguments.ts';
import { EXIT_FOUND, EXIT_OK, type Streams } from '../command.ts';
import { Problems, UnreadableFileError } from '../problems.ts';
import { unreadable } from '../rows/lines.ts';
import { OtlpFile } from '../traces/otlp-file.ts';
import type { TraceSource } from '../traces/traces.ts';
import { reconcile } from './reconcile.ts';
import { reconciliationText } from './reconcile-text.ts';

/**
 * `ng-failures reconcile`: the ids in rows against the ids in traces.
 *
 * @throws UsageError without rows or traces, UnreadableFileError when a file cannot be read: comparing the others
 *   would name ids that are not missing
 */
export async function reconcileCommand(args: Arguments, { out, err }: Streams, usage: string): Promise<number> {
  const rows = requireFiles(args.files, usage);
  const traces = traceSources(args, usage);
  const named = [...rows, ...traces.map((source) => source.name)];
  const faults = named.map((file) => unreadable(file)).filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new UnreadableFileError(faults.join('\n'));
  const result = await reconcile({ rows, traces, problems: new Problems((text) => err.write(text)) });
  const json = args.switches.has('json');
  out.write(json ? `${JSON.stringify(result, undefined, 2)}\n` : reconciliationText(result, out.style));
  return result.clean ? EXIT_OK : EXIT_FOUND;
}

function traceSources({ values }: Arguments, usage: string): readonly TraceSource[] {
  const files = values.get('traces') ?? [];
  if (files.length === 0) throw new UsageError(`name the traces with --traces OTLP.jsonl: ${usage}`);
  return files.map((file) => new OtlpFile(file));
}
