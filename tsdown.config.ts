import { defineConfig } from 'tsdown';

export default defineConfig({
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
  target: 'node20.20',
  platform: 'node',
  fixedExtension: false,
  dts: true,
  sourcemap: false,
  clean: true,
});
