import { processSuite } from './process-suite.ts';

await processSuite({ node: '22', line: 'otel2' });
