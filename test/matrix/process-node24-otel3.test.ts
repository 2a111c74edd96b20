import { processSuite } from './process-suite.ts';

await processSuite({ node: '24', line: 'otel3' });
