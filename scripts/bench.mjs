// Measures everything beside what it is compared with, prints one table and saves it; docs/performance.md says how to
// read it. Fails when a goal is missed; with --guard, which is short, only when one is missed by far. Needs the built package.
// Usage: npm run bench [-- --guard] [-- --out FILE] [-- server memory stream-reader codec command]
//        npm run bench -- --markdown FILE...     the saved runs as one table, without measuring
import { register } from 'tsx/esm/api';

register();
const { main } = await import('../bench/main.ts');
process.exitCode = main(process.argv.slice(2));
