/**
 * The requests of a soak: `main.ts --requests N`. A server with an SDK serves N of them and one without an SDK a quarter
 * as many. Prints one table and what is off; exit code 1 when something is.
 */
import type { Played } from './client.ts';
import { type CourseResult, main, playTenths, withChildren } from './course.ts';
import { requestCount, start, type Variant } from './measured.ts';
import { ask } from './messages.ts';
import type { Remains } from './server.ts';

const requests = requestCount('200000');

interface Result extends CourseResult {
  readonly played: Played;
  readonly tally: Played['tally'];
}

async function run(variant: Variant, count: number): Promise<Result> {
  const started = performance.now();
  const server = start('server.ts', variant);
  const client = start('client.ts');
  return await withChildren([client, server], 60_000 + count * 10, async () => {
    const upstream = await ask<number>(client, 'listen');
    const port = await ask<number>(server, 'listen', upstream);
    const course = await playTenths<Played>({ variant, count, requests, server, client, port });
    const remains = await ask<Remains>(server, 'end');
    const seconds = (performance.now() - started) / 1000;
    return { name: variant, requests: count, seconds, ...course, tally: course.played.tally, remains };
  });
}

await main<Result>(requests, {
  run,
  rows: ({ played, measures, tally }) => [
    ['given up by the client', String(played.aborted)],
    ['streams', String(played.streams)],
    ['streams cut by the server', String(played.cut)],
    ['failing with a chain', String(played.failing)],
    ['replies read to the end', String(tally.whole)],
    ['failures raised', String(measures.at(-1)?.counts.raised)],
    ['ids forwarded from upstream', String(measures.at(-1)?.counts.forwarded)],
    ['ids delivered', String(tally.delivered)],
    ['ids flagged omitted', String(tally.omitted)],
  ],
  faults: ({ name, played, tally }) =>
    [played.aborted, tally.delivered, tally.omitted].includes(0) ? [`${name}: nothing was tried`] : [],
  examples: ({ played }) => played.examples,
});
