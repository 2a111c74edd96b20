import { eachOf } from '../each-of.ts';
import { traceUrl } from '../jaeger/links.ts';
import type { TraceFinder } from '../jaeger/trace-finder.ts';
import { counted } from '../text.ts';
import type { Chain, Summary } from './page/data.ts';

/** Ids looked for at a time, and in all. */
const AT_ONCE = 8;
const MAX_LOOKUPS = 1000;

/** Where links are looked for. */
export interface FindLinksOptions {
  readonly finder: Pick<TraceFinder, 'ofEvent' | 'ofRollout'>;
  /** Jaeger's address, with nothing secret in it. */
  readonly base: string;
  /** Chains whose ids are looked for: so many, the commonest. */
  readonly chains: number;
  /** Told how far it is. */
  readonly onProgress?: (text: string) => void;
}

/**
 * The summary with links to Jaeger at the ids of its commonest chains. An id that Jaeger does not have gets none.
 *
 * @throws JaegerError when Jaeger cannot be asked
 */
export async function withLinks(summary: Summary, options: FindLinksOptions): Promise<Summary> {
  const { finder, base, onProgress = () => {} } = options;
  const chains = summary.chains.list.slice(0, options.chains);
  const wanted = idsIn(chains);
  const asked = [...wanted].slice(0, MAX_LOOKUPS);
  const urls = new Map<string, string>();
  let done = 0;
  await eachOf(asked, AT_ONCE, async ([key, { event, id }]) => {
    const [traceId] = event ? await finder.ofEvent(id) : await finder.ofRollout(id);
    if (traceId !== undefined) urls.set(key, event ? traceUrl(base, traceId, id) : traceUrl(base, traceId));
    done += 1;
    onProgress(`looking for ids in Jaeger: ${done} of ${counted(asked.length, 'id')}`);
  });
  const jaeger = {
    base,
    found: urls.size,
    notFound: asked.length - urls.size,
    notAsked: wanted.size - asked.length,
  };
  const linked = chains.map((chain) => linkedChain(chain, urls));
  const list = [...linked, ...summary.chains.list.slice(chains.length)];
  return { ...summary, chains: { ...summary.chains, list }, jaeger };
}

type Wanted = { readonly event: boolean; readonly id: string };

/** The ids of the commonest chains first; events and rollouts have names of their own. */
function idsIn(chains: readonly Chain[]): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  for (const { links, examples } of chains) {
    for (const { eventId: id } of links) wanted.set(eventKey(id), { event: true, id });
    for (const { rolloutId: id } of examples) {
      if (id !== undefined) wanted.set(rolloutKey(id), { event: false, id });
    }
  }
  return wanted;
}

function linkedChain(chain: Chain, urls: ReadonlyMap<string, string>): Chain {
  const link = (key: string): { url?: string } => {
    const url = urls.get(key);
    return url === undefined ? {} : { url };
  };
  return {
    ...chain,
    links: chain.links.map((event) => ({ ...event, ...link(eventKey(event.eventId)) })),
    examples: chain.examples.map((example) => ({
      ...example,
      ...(example.rolloutId === undefined ? {} : link(rolloutKey(example.rolloutId))),
    })),
  };
}

function eventKey(id: string): string {
  return `event ${id}`;
}

function rolloutKey(id: string): string {
  return `rollout ${id}`;
}
