/**
 * What a request costs a server, in CPU time. Each variant is a process of its own, two of them have a twin; all are asked
 * in turns. The same program twice differs too, by where its code and data happen to lie: so all processes are started
 * anew several times, and what the twins differ by is what the others' mean anything beyond.
 */
import type { RowId } from './report/rows.ts';
import { handIn, rounds } from './support/measure.ts';
import { Server, type Variant } from './support/server.ts';

const STARTS = rounds(6, 1);
const ROUNDS = rounds(12, 8);
const REQUESTS = rounds(3000, 2000);
const WARM_UPS = 3;
const CONNECTIONS = 8;

interface Contender {
  readonly server: Server;
  readonly path: string;
  /** CPU microseconds a request, one for each round. */
  readonly costs: number[];
}

const measured = new Map<RowId, number[]>();

for (let start = 0; start < STARTS; start += 1) {
  const contender = (variant: Variant): Contender => ({
    server: new Server(variant),
    path: '/v1/responses',
    costs: [],
  });
  const [bare, bareTwin, ours] = [contender('bare'), contender('bare'), contender('ours')];
  const [http, httpTwin, beside] = [contender('http'), contender('http'), contender('http+ours')];
  // With and without failure in one process, which nothing else is measured in: what it learns of one slows the other.
  const healthy = contender('http+ours');
  const failing = { ...healthy, path: '/failing', costs: [] };
  const stacks = { ...healthy, path: '/stacks', costs: [] };
  const all = [bare, ours, bareTwin, http, beside, httpTwin, healthy, failing, stacks];
  const servers = [...new Set(all.map(({ server }) => server))];
  await Promise.all(servers.map((server) => server.connect(CONNECTIONS)));
  for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) await askInTurns(all, round);
  for (const server of servers) server.stop();

  keep('server.over-bare', ours, bare, (own, base) => own - base);
  keep('server.bare-twin', bareTwin, bare, (own, base) => own - base);
  keep('server.beside-http', beside, http, (own, base) => own / base);
  keep('server.http-twin', httpTwin, http, (own, base) => own / base);
  keep('server.failure', failing, healthy, (own, base) => own - base);
  keep('server.failure-alone', failing, stacks, (own, base) => own - base);
}
for (const [id, values] of measured) handIn(id, values);

/** Each round starts with another one, so that none always follows the same one. */
async function askInTurns(all: readonly Contender[], round: number): Promise<void> {
  for (let turn = 0; turn < all.length; turn += 1) {
    const next = all[(turn + round) % all.length];
    if (next === undefined) continue;
    const cost = await next.server.ask(next.path, REQUESTS);
    if (round >= WARM_UPS) next.costs.push(cost);
  }
}

function keep(
  id: RowId,
  subject: Contender,
  baseline: Contender,
  compare: (own: number, base: number) => number,
): void {
  const values = subject.costs.map((cost, round) => compare(cost, baseline.costs[round] ?? Number.NaN));
  measured.set(id, [...(measured.get(id) ?? []), ...values]);
}
