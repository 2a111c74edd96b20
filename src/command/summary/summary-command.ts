import { type Arguments, requireFiles } from '../arguments.ts';
import { EXIT_FOUND, EXIT_OK, type Streams } from '../command.ts';
import { openJaeger } from '../jaeger/open-jaeger.ts';
import { TraceFinder } from '../jaeger/trace-finder.ts';
import { Problems, UnreadableFileError } from '../problems.ts';
import { Progress } from '../progress.ts';
import { unreadable } from '../rows/lines.ts';
import { savedRows } from '../rows/rows.ts';
import { counted, jsonText, oneLine } from '../text.ts';
import { withLinks } from './find-links.ts';
import type { Summary } from './page/data.ts';
import { MAX_PAGE_CHAINS } from './page-data.ts';
import { PageFile } from './page-file.ts';
import { Summarizer } from './summarizer.ts';
import { MAX_PRINTED_CHAINS, summaryText } from './summary-text.ts';

/**
 * `ng-failures summary`: what failed in all rows together, on the terminal and as a page.
 *
 * @throws UsageError without rows or with a page that cannot be written, UnreadableFileError when a file or Jaeger
 *   cannot be read: numbers of the other files alone would be taken for all
 */
export async function summaryCommand(args: Arguments, { out, err }: Streams, usage: string): Promise<number> {
  const files = requireFiles(args.files, usage);
  const faults = files.map((file) => unreadable(file)).filter((fault) => fault !== undefined);
  if (faults.length > 0) throw new UnreadableFileError(faults.join('\n'));
  const path = args.values.get('html')?.at(-1);
  const page = path === undefined ? undefined : new PageFile(path, files);
  const finding = findingIn(args);
  const problems = new Problems((text) => err.write(text));
  const progress = new Progress(err);
  try {
    const summarizer = new Summarizer();
    let rowCount = 0;
    for (const file of files) {
      for await (const rows of savedRows(file, problems)) {
        for (const row of rows) summarizer.add(row);
        rowCount += rows.length;
        progress.show(`reading rows: ${counted(rowCount, 'row')}`);
      }
    }
    let summary: Summary = summarizer.summary(files, problems.badLines);
    const onProgress = (text: string): void => progress.show(text);
    const chains = page === undefined ? MAX_PRINTED_CHAINS : MAX_PAGE_CHAINS;
    if (finding !== undefined) summary = await withLinks(summary, { ...finding, chains, onProgress });
    progress.end();
    const json = args.switches.has('json');
    out.write(json ? `${jsonText(summary)}\n` : summaryText(summary, out.style));
    if (page !== undefined) {
      const bytes = await page.write(summary);
      err.write(`${oneLine(page.path)}: written, ${counted(Math.ceil(bytes / 1000), 'kB', 'kB')}\n`);
    }
    return problems.badLines > 0 ? EXIT_FOUND : EXIT_OK;
  } finally {
    progress.end();
  }
}

function findingIn(args: Arguments): { readonly finder: TraceFinder; readonly base: string } | undefined {
  const { apis, start, end, services } = openJaeger(args, args.values.get('jaeger')?.slice(-1) ?? []);
  const [api] = apis;
  if (api === undefined) return undefined;
  const finder = new TraceFinder(api, {
    ...(args.values.has('since') ? { start } : {}),
    ...(args.values.has('until') ? { end } : {}),
    ...(services === undefined ? {} : { services }),
  });
  return { finder, base: api.base };
}
