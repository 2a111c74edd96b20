import { type Arguments, requireFiles, UsageError } from '../arguments.ts';
import { EXIT_FOUND, EXIT_OK, type Streams } from '../command.ts';
import { JaegerTraces } from '../jaeger/jaeger-traces.ts';
import { openJaeger } from '../jaeger/open-jaeger.ts';
import { Problems, UnreadableFileError } from '../problems.ts';
import { Progress } from '../progress.ts';
import { unreadable } from '../rows/lines.ts';
import { jsonText } from '../text.ts';
import { OtlpFile } from '../traces/otlp-file.ts';
import { reconcile } from './reconcile.ts';
import { reconciliationText } from './reconcile-text.ts';

/**
 * `ng-failures reconcile`: the ids in rows against the ids in traces.
 *
 * @throws UsageError without rows or traces, UnreadableFileError when a file or a Jaeger cannot be read: comparing the
 *   others would name ids that are not missing
 */
export async function reconcileCommand(args: Arguments, { out, err }: Streams, usage: string): Promise<number> {
  const rows = requireFiles(args.files, usage);
  const files = args.values.get('traces') ?? [];
  const { apis, ...range } = openJaeger(args, args.values.get('jaeger') ?? []);
  if (files.length + apis.length === 0) {
    throw new UsageError(`name the traces with --traces OTLP.jsonl or --jaeger URL: ${usage}`);
  }
  const faults = [...rows, ...files].map((file) => unreadable(file)).filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new UnreadableFileError(faults.join('\n'));
  const progress = new Progress(err);
  const onProgress = (text: string): void => progress.show(text);
  const jaegers = apis.map((api) => new JaegerTraces({ api, ...range, onProgress }));
  const traces = [...files.map((file) => new OtlpFile(file)), ...jaegers];
  const problems = new Problems((text) => err.write(text));
  const sampled = args.switches.has('sampled');
  try {
    const result = await reconcile({ rows, traces, problems, sampled, onProgress });
    const json = args.switches.has('json');
    out.write(json ? `${jsonText(result)}\n` : reconciliationText(result, out.style));
    return result.clean ? EXIT_OK : EXIT_FOUND;
  } finally {
    progress.end();
  }
}
