import { matrixSuite } from './suite.ts';

matrixSuite({ node: '22', line: 'otel2' });
