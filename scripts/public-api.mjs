// The public surface: exported names with their signatures, sub-paths, the names of telemetry, variables and the wire,
// options of the command. It is recorded in test/package/public-api.txt; what differs from there must be told in
// CHANGELOG.md. Usage, with the package built: node scripts/public-api.mjs [--check] [--root DIR]
// Without --check it records what is there now, once the CHANGELOG tells it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { changelogSections, headingsFor, tells } from './api/changelog.mjs';
import { publicSurface } from './api/surface.mjs';

const RECORD = 'test/package/public-api.txt';
const HEAD = `What users build on, as the CHANGELOG last told it. Written by \`npm run api:record\`; do not edit.\n`;

/** What differs from the record: each with what it was and is. */
export function surfaceChanges(root) {
  const built = new Map(publicSurface(root).map((entry) => [entry.title, entry]));
  const before = recorded(root);
  const titles = [...new Set([...before.keys(), ...built.keys()])].sort();
  return titles.flatMap((title) => {
    const [old, now] = [before.get(title), built.get(title)];
    if (old?.text === now?.text) return [];
    const was = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed';
    return [{ title, was, names: (now ?? old).names, before: old?.text, after: now?.text }];
  });
}

/** What differs and is not told in the CHANGELOG's first section, with what to do, a text each. */
export function untoldChanges(root) {
  const [section] = changelogSections(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'));
  if (section === undefined) return ['CHANGELOG.md has no section: begin it with "## [Unreleased]".'];
  return surfaceChanges(root)
    .filter((change) => !tells(section, change))
    .map(({ title, was, names, before, after }) => {
      const remedy = `Write a line with \`${names[0]}\` in backticks below ${headingsFor(was)} of "## [${section.name}]" in CHANGELOG.md`;
      const others = names.length > 1 ? ` (or with ${names.slice(1, 4).join(', ')})` : '';
      return [`${title}: ${was}.`, ...marked('-', before), ...marked('+', after), `  ${remedy}${others}.`].join('\n');
    });
}

const marked = (sign, text) => (text === undefined ? [] : text.split('\n').map((line) => `  ${sign} ${line}`));

function recorded(root) {
  if (!existsSync(join(root, RECORD))) return new Map();
  const [, ...parts] = readFileSync(join(root, RECORD), 'utf8').split(/^## /m);
  return new Map(
    parts.map((part) => {
      const [title, names, ...lines] = part.trimEnd().split('\n');
      return [title, { text: lines.join('\n'), names: names.replace('names: ', '').split(', ') }];
    }),
  );
}

function record(root) {
  const parts = publicSurface(root).map(
    ({ title, text, names }) => `## ${title}\nnames: ${names.join(', ')}\n${text}\n`,
  );
  writeFileSync(join(root, RECORD), [HEAD, ...parts].join('\n'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, root: { type: 'string' } } });
  const root = values.root ?? fileURLToPath(new URL('..', import.meta.url));
  const untold = existsSync(join(root, RECORD)) ? untoldChanges(root) : [];
  if (untold.length > 0) {
    console.error(
      `${untold.join('\n\n')}\n\nThe public surface changed, and CHANGELOG.md does not tell it yet (see above).`,
    );
    process.exitCode = 1;
  } else if (values.check !== true) record(root);
}
