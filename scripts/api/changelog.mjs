/**
 * The sections of a CHANGELOG, newest first: each with its name (`Unreleased` or a version), its date where it has one,
 * and the text below each of its `###` headings.
 */
export function changelogSections(text) {
  const [, ...parts] = text.split(/^## \[/m);
  return parts.map((part) => {
    const [head = '', ...lines] = part.split('\n');
    const [, name = '', date] = /^([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$/.exec(head.trim()) ?? [];
    const [, ...groups] = lines.join('\n').split(/^### /m);
    const byName = groups.map((group) => [group.split('\n', 1)[0].trim(), group.slice(group.indexOf('\n') + 1)]);
    return { name, date, groups: new Map(byName) };
  });
}

/** Headings whose lines tell of a change: what is told as new was not there before, what went away is told as that. */
const TOLD_UNDER = {
  added: ['Added', 'Changed'],
  changed: ['Changed', 'Deprecated', 'Fixed', 'Security'],
  removed: ['Removed', 'Changed'],
};

/** Where a change has to be told, for people. */
export const headingsFor = (was) => TOLD_UNDER[was].map((name) => `### ${name}`).join(' or ');

/** Whether a section names, in backticks and under a fitting heading, one of the names of what changed. */
export function tells({ groups }, { was, names }) {
  const text = TOLD_UNDER[was].map((heading) => groups.get(heading) ?? '').join('\n');
  const spans = [...text.matchAll(/`([^`]+)`/g)].map(([, span]) => span);
  return names.some((name) => spans.some((span) => hasName(span, name)));
}

/** A name as a whole: `nemo.gym.failure` does not stand in `nemo.gym.failure.id`; `Row` does in `Row.fields()`. */
function hasName(span, name) {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  const after = name.includes('.') ? '(?![\\w.-])' : '(?![\\w-])';
  return new RegExp(`(?<![\\w.-])${escaped}${after}`).test(span);
}

/** Whether a section tells of something that a user of the version before has to change. */
export const isBreaking = ({ groups }) =>
  groups.has('Removed') || [...groups.values()].join('\n').includes('**Breaking**');

/**
 * The least version that semantic versioning allows after `before`: below 1.0 a breaking change raises the minor number
 * and anything else the patch number; from then on the major, the minor for what is new, the patch number.
 */
export function leastVersion(before, section) {
  const [major, minor, patch] = before.split(/[.-]/).map(Number);
  if (major === 0) return isBreaking(section) ? `0.${minor + 1}.0` : `0.${minor}.${patch + 1}`;
  if (isBreaking(section)) return `${major + 1}.0.0`;
  return section.groups.has('Added') ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}
