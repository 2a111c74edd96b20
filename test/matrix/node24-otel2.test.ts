import { matrixSuite } from './suite.ts';

matrixSuite({ node: '24', line: 'otel2' });
