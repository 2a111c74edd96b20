import { processSuite } from './process-suite.ts';

await processSuite({ node: '26', line: 'otel3' });
