import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { exportedNames } from './types.mjs';

/**
 * What users build on, read from the built package below `root`: entries of a title, a text that changes when it does,
 * and the names that a line of the CHANGELOG may call it by.
 */
export function publicSurface(root) {
  const read = (path) => readFileSync(join(root, path), 'utf8');
  const manifest = JSON.parse(read('package.json'));
  return [
    ...doors(manifest),
    ...exportedNames(manifest.exports, read),
    ...telemetry(read('docs/telemetry.md')),
    ...variables(root, read),
    ...wire(read('src/records/wire.ts')),
    ...options(join(root, manifest.bin['ng-failures'])),
  ].sort((a, b) => (a.title < b.title ? -1 : 1));
}

const entry = (title, value, names) => ({
  title,
  text: typeof value === 'string' ? value : JSON.stringify(value, null, 1),
  names,
});

/** Ways into the package, and what it asks of whoever installs it. */
function doors({ exports, bin, engines, peerDependencies }) {
  return [
    ...Object.entries(exports).map(([path, to]) => entry(`sub-path ${path}`, to, [path, path.slice(1) || path])),
    ...Object.entries(bin).map(([name, to]) => entry(`program ${name}`, to, [name])),
    ...Object.entries(engines).map(([name, range]) => entry(`engine ${name}`, range, ['engines', name])),
    ...Object.entries(peerDependencies).map(([name, range]) => entry(`peer ${name}`, range, [name])),
  ];
}

/** Names on spans, events, log records and metrics: the table that a test holds to what is emitted. */
function telemetry(page) {
  const [, table = ''] = /\| name \| on \| type \| is \|\n\| --- .*\n((?:\|.*\n)+)/.exec(page) ?? [];
  return table
    .trimEnd()
    .split('\n')
    .map((row) => {
      const [, name = '', on = '', type = ''] = row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('`', ''));
      return entry(`telemetry ${name}`, [on, type].filter((cell) => cell !== '').join('; '), [name]);
    });
}

/** Environment variables: each constant of the sources that is the name of one. */
function variables(root, read) {
  const files = readdirSync(join(root, 'src'), { recursive: true }).filter((path) => path.endsWith('.ts'));
  const texts = new Set(files.flatMap((path) => [...constants(read(join('src', path))).values()]));
  const names = [...texts].filter((text) => /^(OTEL|NG_FAILURES)(_[A-Z0-9]+){2,}$/.test(text));
  return names.map((name) => entry(`variable ${name}`, name, [name]));
}

/** The names and limits of the wire contract. */
function wire(source) {
  return [...constants(source)].map(([name, value]) => entry(`wire ${name}`, value, [name, value]));
}

/** The value of each constant: a text, a template of earlier ones, or what is written there. */
function constants(source) {
  const values = new Map();
  const file = ts.createSourceFile('constants.ts', source, ts.ScriptTarget.Latest, true);
  const valueIn = (node) => {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (!ts.isTemplateExpression(node)) return node.getText(file).replaceAll(/\s+/g, ' ');
    const spans = node.templateSpans.map((span) => (values.get(span.expression.text) ?? '') + span.literal.text);
    return node.head.text + spans.join('');
  };
  for (const statement of file.statements.filter(ts.isVariableStatement)) {
    for (const { name, initializer } of statement.declarationList.declarations)
      if (initializer !== undefined && ts.isIdentifier(name)) values.set(name.text, valueIn(initializer));
  }
  return values;
}

/** The commands of `ng-failures`, and the options of each, as their help names them. */
function options(program) {
  const help = (...args) => execFileSync(process.execPath, [program, ...args, '--help'], { encoding: 'utf8' });
  const [, list = ''] = /^Commands:\n((?: .*\n)+)/m.exec(help()) ?? [];
  const commands = [...list.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
  return commands.flatMap((command) => {
    const found = [...help(command).matchAll(/^ {2}(--[\w-]+)( [A-Z][\w.]*)?/gm)];
    return [
      entry(`command ${command}`, 'of ng-failures', [command, `ng-failures ${command}`]),
      ...found.map(([text, option]) => entry(`command ${command} ${option}`, text.trim(), [option])),
    ];
  });
}
