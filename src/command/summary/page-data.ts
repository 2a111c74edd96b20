import { BOUNDARIES } from '../../records/wire.ts';
import type { Chain, KindCount, PageData, Summary } from './page/data.ts';

/** What the page shows at most. */
const MAX_PAGE_KINDS = 500;
export const MAX_PAGE_CHAINS = 200;
const MAX_FILES = 50;
/** Of each of both lists, as it is written. With the rest the page stays under 2 MB. */
const KINDS_MAX_BYTES = 300_000;
const CHAINS_MAX_BYTES = 1_200_000;

/** What the page is given: the commonest, as much as fits. */
export function pageData(summary: Summary, madeAt: Date): PageData {
  const { files, kinds, chains } = summary;
  const kindList = fitting<KindCount>(kinds.list.slice(0, MAX_PAGE_KINDS), KINDS_MAX_BYTES);
  const chainList = fitting<Chain>(chains.list.slice(0, MAX_PAGE_CHAINS), CHAINS_MAX_BYTES);
  return {
    ...summary,
    files: files.length > MAX_FILES ? [...files.slice(0, MAX_FILES), `and ${files.length - MAX_FILES} more`] : files,
    kinds: { ...kinds, list: kindList },
    chains: { ...chains, list: chainList },
    // The page shows them beside the kinds.
    firstCauses: { list: summary.firstCauses.list.slice(0, 50), other: summary.firstCauses.other },
    madeAt: madeAt.toISOString(),
    boundaries: BOUNDARIES,
    leftOut: { kinds: kinds.list.length - kindList.length, chains: chains.list.length - chainList.length },
  };
}

/** Data as a script element holds it: nothing in it can end the element or start another. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/</g, '\\u003c');
}

/** As many as there is room for; one that is too large is passed over. */
function fitting<T>(list: readonly T[], maxBytes: number): readonly T[] {
  let left = maxBytes;
  return list.filter((item) => {
    const bytes = Buffer.byteLength(scriptJson(item)) + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}
