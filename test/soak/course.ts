/** The course that each soak takes: two runs, ten tenths of requests in each, a table, and what is off. */
import type { ChildProcess } from 'node:child_process';
import { type Measured, printTable, serverFaults, serverRows, TENTHS, type Variant, warmUpOf } from './measured.ts';
import { ask } from './messages.ts';
import type { Measures } from './server.ts';

/** What the client of every soak says of itself. */
export interface ClientPlayed {
  readonly requests: number;
  /** Requests that ended as none of their sort does. */
  readonly odd: number;
  readonly examples: readonly string[];
}

/** What became of ids. */
export interface IdTally {
  readonly lost: number;
  readonly astray: number;
  readonly wrongOmitted: number;
}

/** A run, whatever its soak is about. */
export interface CourseResult extends Measured {
  readonly seconds: number;
  readonly played: ClientPlayed;
  readonly tally: IdTally;
}

/** What a soak says of its own runs, beside what every soak does. */
export interface Soak<Result extends CourseResult> {
  run(variant: Variant, count: number): Promise<Result>;
  /** Rows of its table between the first ones and those about ids. */
  rows(result: Result): readonly [string, string][];
  /** What is off, in words. */
  faults(result: Result): readonly string[];
  /** Examples of what went wrong, for whoever looks into it. */
  examples(result: Result): readonly string[];
}

export interface Tenths {
  readonly variant: Variant;
  readonly count: number;
  readonly requests: number;
  readonly server: ChildProcess;
  readonly client: ChildProcess;
  readonly port: number;
}

/** Has the client play the requests, and the server measure itself after each tenth of those that are no warm-up. */
export async function playTenths<Played>(given: Tenths): Promise<{ played: Played; measures: readonly Measures[] }> {
  const { variant, count, requests, server, client, port } = given;
  const warmUp = warmUpOf(requests);
  let from = warmUp;
  let played = await ask<Played>(client, 'play', { server: port, from: 0, to: from });
  const measures: Measures[] = [];
  for (let tenth = 1; tenth <= TENTHS; tenth += 1) {
    const to = warmUp + Math.round((count * tenth) / TENTHS);
    played = await ask<Played>(client, 'play', { server: port, from, to });
    measures.push(await ask<Measures>(server, 'measure'));
    process.stderr.write(`\r${variant}: ${to - warmUp} of ${count} requests${tenth === TENTHS ? '\n' : ''}`);
    from = to;
  }
  await ask(client, 'end');
  return { played, measures };
}

/** Runs `work`, and ends its processes: when it is done, or when it hangs. */
export async function withChildren<T>(
  children: readonly ChildProcess[],
  limitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = setTimeout(() => {
    console.error('soak: the run took too long');
    for (const child of children) child.kill('SIGKILL');
  }, limitMs);
  try {
    return await work();
  } finally {
    clearTimeout(deadline);
    for (const child of children) child.kill();
  }
}

/** Plays both runs and tells what they came to; the exit code is 1 when something is off. */
export async function main<Result extends CourseResult>(requests: number, soak: Soak<Result>): Promise<void> {
  const results = [await soak.run('sdk', requests), await soak.run('no-sdk', Math.max(200, Math.round(requests / 4)))];
  printTable(
    results.map(({ name }) => name),
    results.map((result) => [...firstRows(result, requests), ...soak.rows(result), ...idRows(result)]),
  );
  for (const result of results) {
    const complaints = result.measures.at(-1)?.complaints ?? [];
    for (const line of [...soak.examples(result), ...complaints]) console.log(`${result.name}: ${line}`);
  }
  const off = results.flatMap((result) => [...clientFaults(result), ...serverFaults(result), ...soak.faults(result)]);
  for (const line of off) console.log(`soak: ${line}`);
  process.exitCode = off.length === 0 ? 0 : 1;
}

function firstRows({ played, seconds }: CourseResult, requests: number): [string, string][] {
  return [
    [`requests, ${warmUpOf(requests)} to warm up among them`, String(played.requests)],
    ['seconds', seconds.toFixed(0)],
  ];
}

function idRows({ played, tally, ...measured }: CourseResult): [string, string][] {
  return [
    ['ids lost', String(tally.lost)],
    ['ids astray', String(tally.astray)],
    ['omitted wrongly', String(tally.wrongOmitted)],
    ['went another way', String(played.odd)],
    ...serverRows(measured),
  ];
}

function clientFaults({ name, played, tally }: CourseResult): string[] {
  const wrong: readonly [count: number, what: string][] = [
    [tally.lost, 'ids lost'],
    [tally.astray, "ids in another request's reply"],
    [tally.wrongOmitted, 'replies that say omitted wrongly, or wrongly do not'],
    [played.odd, 'requests that went another way'],
  ];
  return wrong.filter(([count]) => count !== 0).map(([count, what]) => `${name}: ${count} ${what}`);
}
