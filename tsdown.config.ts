import { defineConfig } from 'tsdown';

const common = {
  target: 'node20.20',
  platform: 'node',
  fixedExtension: false,
  dts: true,
  sourcemap: false,
} as const;

export default defineConfig([
  {
    ...common,
    entry: {
      index: 'src/index.ts',
      express: 'src/frameworks/express.ts',
      fastify: 'src/frameworks/fastify.ts',
      hono: 'src/frameworks/hono.ts',
      koa: 'src/frameworks/koa.ts',
      register: 'src/register.ts',
      'ng-failures': 'src/command/main.ts',
    },
    format: 'esm',
    clean: true,
  },
  {
    ...common,
    entry: { register: 'src/register-by-require.ts' },
    format: 'cjs',
    external: ['./register.js'],
    clean: false,
  },
]);
