import { readFileSync } from 'node:fs';
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
  {
    // What `ng-failures summary --html` puts into its page: one classic script that needs no other file.
    entry: { 'summary-page': 'src/command/summary/page/main.ts' },
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    fixedExtension: false,
    minify: true,
    dts: false,
    sourcemap: false,
    clean: false,
    noExternal: [/./],
    outputOptions: { entryFileNames: '[name].js', postBanner: licences(['chart.js', '@kurkle/color']) },
  },
]);

/** The licences of what is bundled, as a comment that stays where the code goes. */
function licences(packages: readonly string[]): string {
  const texts = packages.map((name) => {
    const text = readFileSync(new URL(`node_modules/${name}/LICENSE.md`, import.meta.url), 'utf8').trim();
    if (text.includes('*/')) throw new Error(`the licence of ${name} would end the comment that it stands in`);
    return `${name}\n\n${text}`;
  });
  return `/*!\nWith parts of:\n\n${texts.join('\n\n')}\n*/`;
}
