import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Chain, ChainLink, KindCount, Summary } from '../../../src/command/summary/page/data.ts';
import { pageData, scriptJson } from '../../../src/command/summary/page-data.ts';
import { pageHtml } from '../../../src/command/summary/page-html.ts';
import { Summarizer } from '../../../src/command/summary/summarizer.ts';

const MADE_AT = new Date('2026-05-04T10:00:00Z');
const SCRIPT = 'document.title = "drawn";';
const NONE: Summary = new Summarizer().summary(['rows.jsonl'], 0);
const COUNTS = { fatal: 1, alsoObserved: 0, recovered: 0, total: 1 };

function link(text: string): ChainLink {
  return { boundary: 'model', kind: text, eventId: text, operation: text, reason: text, foreignError: text };
}

function chainOf(text: string, links = 1): Chain {
  const one = link(text);
  const example = { file: text, line: 1, rolloutId: text };
  return { ...COUNTS, links: Array.from({ length: links }, () => one), examples: [example, example, example] };
}

function htmlOf(summary: Summary, script = SCRIPT): string {
  return pageHtml(pageData(summary, MADE_AT), script);
}

/** The data as a browser reads it: up to the first end tag of a script. */
function dataIn(html: string): unknown {
  const [, text = ''] = /<script type="application\/json" id="data">([\s\S]*?)<\/script/i.exec(html) ?? [];
  return JSON.parse(text);
}

describe('data in the page', () => {
  it.each([
    '</script><script>evil()</script>',
    '<!--<script>',
    '</SCRIPT >',
    '<img src=x onerror=evil()>',
    ']]>',
    '\u2028\u2029',
    '\ud800 alone',
    '__proto__',
    '"\\"',
  ])('%j cannot become markup, and comes back as it was', (text) => {
    const data = pageData({ ...NONE, files: [text], chains: { list: [chainOf(text)], other: 0 } }, MADE_AT);
    const html = pageHtml(data, SCRIPT);
    expect(dataIn(html)).toEqual(JSON.parse(JSON.stringify(data)));
    expect(html.match(/<script/gi)).toHaveLength(2);
    expect(html.match(/<\/script/gi)).toHaveLength(2);
    expect(html).not.toContain('<!--');
    expect(html).not.toContain('<img');
  });

  it('has no < at all', () => {
    expect(scriptJson({ '<': '<<' })).toBe('{"\\u003c":"\\u003c\\u003c"}');
  });
});

it('a chain that is too large for the page leaves room for smaller ones', () => {
  const list = [chainOf('x'.repeat(500_000)), chainOf('x'.repeat(500_000)), chainOf('small')];
  const { chains, leftOut } = pageData({ ...NONE, chains: { list, other: 0 } }, MADE_AT);
  expect(chains.list.map(({ links }) => links[0]?.kind)).toEqual(['small']);
  expect(leftOut).toEqual({ kinds: 0, chains: 2 });
});

describe('the page', () => {
  it('may run its own program and nothing else, and may ask for nothing', () => {
    const html = htmlOf(NONE);
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html) ?? [];
    const sha = (text = ''): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${sha(/<script>([\s\S]*?)<\/script>/.exec(html)?.[1])}`,
      `style-src ${sha(/<style>([\s\S]*?)<\/style>/.exec(html)?.[1])}`,
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(html).toContain(`<script>${SCRIPT}</script>`);
  });

  it('is not made with a program that would end its own element', () => {
    expect(() => htmlOf(NONE, 'const end = "</script>";')).toThrow(TypeError);
    expect(() => htmlOf(NONE, '<!-- old')).toThrow(TypeError);
  });

  it.each(['<', '\u{1f600}', '"', 'x'])(
    'stays under 2 MB when names, ids and reasons are as long as can be, of %j',
    (character) => {
      const text = character.repeat(300);
      const kinds: KindCount[] = Array.from({ length: 2000 }, () => ({
        ...COUNTS,
        boundary: 'model',
        kind: text,
        stage: '',
      }));
      const summary: Summary = {
        ...NONE,
        files: Array.from({ length: 1000 }, () => text),
        kinds: { list: kinds, other: 1 },
        firstCauses: { list: kinds, other: 1 },
        chains: { list: Array.from({ length: 500 }, () => chainOf(text, 13)), other: 1 },
      };
      const data = pageData(summary, MADE_AT);
      // The program is some 170 kB.
      expect(Buffer.byteLength(pageHtml(data, 'x'.repeat(200_000)))).toBeLessThan(2e6);
      expect(data.leftOut.chains).toBe(500 - data.chains.list.length);
      expect(data.leftOut.kinds).toBe(2000 - data.kinds.list.length);
      expect(data.chains.list.length).toBeGreaterThan(5);
    },
  );
});
