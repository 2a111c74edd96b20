import { constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../arguments.ts';
import { oneLine } from '../text.ts';
import type { Summary } from './page/data.ts';
import { pageData } from './page-data.ts';
import { pageHtml } from './page-html.ts';

/** The page's program, as the build lays it beside the command; and from there where the sources run. */
const SCRIPTS = ['./summary-page.js', '../../../dist/summary-page.js'];

/** The file that the page becomes. */
export class PageFile {
  readonly path: string;
  readonly #place: string;
  readonly #mode: number;

  /**
   * @param rows - files that must not be written over
   * @throws UsageError that says why the page cannot be written there
   */
  constructor(path: string, rows: readonly string[]) {
    this.path = path;
    const folder = dirname(resolve(path));
    if (!isFolder(folder))
      throw new UsageError(`--html ${oneLine(path)}: there is no folder ${oneLine(folder)}; make it first`);
    if (existsSync(path)) {
      const old = statSync(path);
      if (old.isDirectory()) throw new UsageError(`--html ${oneLine(path)}: is a folder; name a file in it`);
      if (!old.isFile()) throw new UsageError(`--html ${oneLine(path)}: is no ordinary file; name another`);
      const isRows = rows.map((file) => statSync(file)).some(({ dev, ino }) => dev === old.dev && ino === old.ino);
      if (isRows) throw new UsageError(`--html ${oneLine(path)}: is a file of rows; name another file for the page`);
    }
    // A link stays one, and who may read the page stays as it was.
    this.#place = existsSync(path) ? realpathSync(path) : resolve(path);
    this.#mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o666;
  }

  /** Writes the page; whoever reads the file meanwhile has the old page or the new one. Gives back its size in bytes. */
  async write(summary: Summary): Promise<number> {
    const html = pageHtml(pageData(summary, new Date()), pageScript());
    const passing = `${this.#place}.${process.pid}.tmp`;
    let isOurs = false;
    try {
      await access(dirname(this.#place), constants.W_OK);
      // A file or a link that stands there already is somebody else's.
      const file = await open(passing, 'wx', this.#mode);
      isOurs = true;
      await file.writeFile(html).finally(() => file.close());
      await rename(passing, this.#place);
    } catch (error) {
      // What went wrong first is told, whatever goes wrong now.
      if (isOurs) await rm(passing, { force: true }).catch(() => {});
      const reason = error instanceof Error ? error.message : String(error);
      throw new UsageError(`--html ${oneLine(this.path)}: cannot be written (${oneLine(reason)})`);
    }
    return Buffer.byteLength(html);
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function pageScript(): string {
  const places = SCRIPTS.map((place) => new URL(place, import.meta.url));
  const place = places.find((url) => existsSync(url));
  if (place === undefined) throw new UsageError('the page’s program is not built: npm run build');
  return readFileSync(place, 'utf8');
}
