import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { messages, textsOf } from './messages.ts';

const page = readFileSync(new URL('../../docs/troubleshooting.md', import.meta.url), 'utf8');
const [, list = ''] = page.split('\n## Diagnostic lines\n');

/** What stands between backticks in a text. */
function spansIn(text: string): string[] {
  return [...text.matchAll(/(`+)(.+?)\1(?!`)/g)].map(([, , span = '']) => span.trim());
}

/** The spans of the first cells of the list's tables: one message each. */
const rows = list.split('\n').filter((line) => line.startsWith('| `'));
const listed = rows.flatMap((line) => spansIn(line.split(' | ')[0] ?? ''));
const consequences = rows.flatMap((line) => spansIn(line.split(' | ')[1] ?? ''));

/** Whether both say the same where neither says `…`, which stands for anything. */
function isSame(one: string, other: string): boolean {
  return matches(one, other) || matches(other, one);
}
function matches(pattern: string, text: string): boolean {
  const literal = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`).test(text);
}

/** Where a line that was made elsewhere is passed on, or a work that was named elsewhere. */
const PASSED_ON = [
  'register.ts',
  'transport/channels.ts',
  'transport/guard.ts',
  'transport/reply/policy.ts',
  'transport/undici.ts',
];
const isPassedOn = ({ text }: { readonly text: string }) => text === '…';
const said = messages.filter((message) => !isPassedOn(message));
/** The one form of all faults; the page tells it once, above the tables. */
const FORM = '… failed; … (…)';
const policies = textsOf('transport/reply/policy.ts', 'WITHOUT_ANSWER');

describe('docs/troubleshooting.md', () => {
  it('is compared with all that src can say', () => {
    expect(said.length).toBeGreaterThan(40);
    expect([...new Set(messages.filter(isPassedOn).map(({ path }) => path))].sort()).toEqual(PASSED_ON);
    expect(policies.length).toBe(6);
  });

  it('lists each diagnostic line and warning', () => {
    const missing = said.filter(({ text }) => text !== FORM && !listed.some((span) => isSame(text, span)));
    expect(missing).toEqual([]);
    expect(said.map(({ text }) => text)).toContain(FORM);
    expect(spansIn(list)).toContain('… failed; the app goes on without it (…)');
  });

  it('lists what follows where a policy gives no answer', () => {
    for (const [name, consequence] of policies) {
      expect(listed).toContain(name);
      expect(consequences).toContain(consequence);
    }
  });

  it('lists nothing that src does not say', () => {
    const known = [...said.map(({ text }) => text), ...policies.map(([name]) => name)];
    expect(listed.filter((span) => !known.some((text) => isSame(text, span)))).toEqual([]);
  });
});
