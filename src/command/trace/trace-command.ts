import { type Arguments, requireFiles } from '../arguments.ts';
import { EXIT_FOUND, EXIT_OK, type Streams } from '../command.ts';
import { eachOf } from '../each-of.ts';
import { DEFAULT_JAEGER_URL } from '../jaeger/address.ts';
import { traceUrl } from '../jaeger/links.ts';
import { openJaeger } from '../jaeger/open-jaeger.ts';
import { TraceFinder } from '../jaeger/trace-finder.ts';
import { Problems, UnreadableFileError } from '../problems.ts';
import { Progress } from '../progress.ts';
import { unreadable } from '../rows/lines.ts';
import { counted, jsonText, oneLine } from '../text.ts';
import { type WantedRow, wantedFiles, wantedRows } from './wanted-rows.ts';

/** Rows looked for at a time. */
const AT_ONCE = 8;
/** Events of one row that are looked for when neither its failure nor its rollout is found. */
const MAX_EVENTS = 8;

/** A row and where its trace is. */
interface RowTraces {
  readonly file: string;
  readonly line: number;
  readonly rolloutId: string | undefined;
  readonly failureId: string | undefined;
  /** Empty: Jaeger has none. */
  readonly traces: readonly { readonly traceId: string; readonly url: string }[];
}

/**
 * `ng-failures trace`: the addresses of rows' traces in Jaeger.
 *
 * @throws UsageError without rows, UnreadableFileError when a file cannot be read or Jaeger cannot be asked
 */
export async function traceCommand(args: Arguments, { out, err }: Streams, usage: string): Promise<number> {
  const files = wantedFiles(requireFiles(args.files, usage));
  const faults = files.map(({ file }) => unreadable(file)).filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new UnreadableFileError(faults.join('\n'));
  const address = args.values.get('jaeger')?.at(-1) ?? DEFAULT_JAEGER_URL;
  const finder = finderFor(args, address);
  const problems = new Problems((text) => err.write(text));
  const rows: WantedRow[] = [];
  for (const file of files) rows.push(...(await wantedRows(file, args.switches.has('all'), problems)));
  const progress = new Progress(err);
  const found: (RowTraces | undefined)[] = rows.map(() => undefined);
  let done = 0;
  try {
    await eachOf(rows.entries(), AT_ONCE, async ([place, row]) => {
      const traceIds = await tracesOf(row, finder);
      const traces = traceIds.map((traceId) => ({ traceId, url: traceUrl(address, traceId, row.eventIds[0]) }));
      const { file, line, rolloutId, failureId } = row;
      found[place] = { file, line, rolloutId, failureId, traces };
      done += 1;
      progress.show(`looking for traces: ${done} of ${counted(rows.length, 'row')}`);
    });
  } finally {
    progress.end();
  }
  const outcome = found.filter((row) => row !== undefined);
  if (args.switches.has('json')) out.write(`${jsonText({ rows: outcome })}\n`);
  else for (const [place, row] of outcome.entries()) out.write(`${rowLine(row, rows[place]?.eventIds.length === 0)}\n`);
  if (rows.length === 0) err.write('no row tells of a failure; --all names every row\n');
  const isWhole = outcome.every(({ traces }) => traces.length > 0);
  return isWhole && problems.badLines === 0 ? EXIT_OK : EXIT_FOUND;
}

function finderFor(args: Arguments, address: string): TraceFinder {
  const { apis, start, end, services } = openJaeger(args, [address]);
  const [api] = apis;
  if (api === undefined) throw new TypeError('one address makes one API');
  return new TraceFinder(api, {
    ...(args.values.has('since') ? { start } : {}),
    ...(args.values.has('until') ? { end } : {}),
    ...(services === undefined ? {} : { services }),
  });
}

/** Its own failure is in the one trace that matters most; a rollout that left no event may still have a trace. */
async function tracesOf({ eventIds, rolloutId }: WantedRow, finder: TraceFinder): Promise<readonly string[]> {
  const [first, ...others] = eventIds;
  const ofFirst = first === undefined ? [] : await finder.ofEvent(first);
  if (ofFirst.length > 0) return ofFirst;
  const ofRollout = rolloutId === undefined ? [] : await finder.ofRollout(rolloutId);
  if (ofRollout.length > 0) return ofRollout;
  for (const eventId of others.slice(0, MAX_EVENTS)) {
    const traces = await finder.ofEvent(eventId);
    if (traces.length > 0) return traces;
  }
  return [];
}

function rowLine({ file, line, rolloutId, traces }: RowTraces, hasNoEvent: boolean): string {
  const row = `${oneLine(file)}:${line}  rollout ${rolloutId === undefined ? '(no id)' : oneLine(rolloutId)}`;
  if (traces.length > 0) return `${row}  ${traces.map(({ url }) => url).join('  ')}`;
  if (rolloutId === undefined && hasNoEvent) return `${row}  the row has no id to look for`;
  return `${row}  no trace in Jaeger (not sampled, not exported?)`;
}
