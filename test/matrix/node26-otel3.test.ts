import { matrixSuite } from './suite.ts';

matrixSuite({ node: '26', line: 'otel3' });
