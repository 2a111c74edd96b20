/** What an open request without failure holds in a server's memory, beside the same server without us. */
import { handIn, rounds } from './support/measure.ts';
import { Server, type Variant } from './support/server.ts';

const OPEN = rounds(2000, 1000);
const WARM_UPS = 2;
const ROUNDS = rounds(9, 3);

const bytes: Record<Variant, number[]> = { bare: [], ours: [], http: [], 'http+ours': [] };
const variants = ['bare', 'ours', 'http', 'http+ours'] as const;
const servers = variants.map((variant) => ({ variant, server: new Server(variant) }));
for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
  for (const { variant, server } of servers) {
    const each = await server.holdOpen(OPEN);
    if (round >= WARM_UPS) bytes[variant].push(each);
  }
}
for (const { server } of servers) server.stop();

const more = (subject: Variant, baseline: Variant): number[] =>
  bytes[subject].map((each, round) => each - (bytes[baseline][round] ?? Number.NaN));
handIn('memory.open-request', more('ours', 'bare'));
handIn('memory.beside-http', more('http+ours', 'http'));
