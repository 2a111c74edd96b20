import { createHash } from 'node:crypto';
import type { PageData } from './page/data.ts';
import { scriptJson } from './page-data.ts';
import { PAGE_STYLE } from './page-style.ts';

/**
 * The page: one file that asks the network for nothing. What rows say is data in it, never markup, and it may run no
 * program but its own.
 *
 * @param script - the page's program, as the build makes it
 */
export function pageHtml(data: PageData, script: string): string {
  // Either would end the program's element early, or change how its end is found.
  if (/<\/script|<!--/i.test(script)) throw new TypeError('the page’s program holds what ends a script element');
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(PAGE_STYLE)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Failures in rollouts</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header><h1>Failures in rollouts</h1></header>
<main id="main"><noscript><p>This page draws itself from data: allow it to run JavaScript.</p></noscript></main>
<script type="application/json" id="data">${scriptJson(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
