import { matrixSuite } from './suite.ts';

matrixSuite({ node: '20', line: 'otel2' });
