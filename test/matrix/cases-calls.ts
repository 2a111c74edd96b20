import { type Case, get } from './case.ts';
import { forwardedText, reportText } from './reports.ts';

const CLIENTS = [
  'http.request',
  'https.request',
  'fetch, its own agent',
  'fetch, any agent',
  'undici.fetch',
  'undici.request',
];

/** A server that calls another one: what that reports is in its own reply. */
export const CALLS: readonly Case[] = CLIENTS.flatMap((client) => {
  const slug = client.replaceAll(/[^a-z.]+/g, '-');
  const relayed = forwardedText(`${slug}/relayed`);
  return [
    ...['report', 'hints', 'stream', 'cut'].map((route) =>
      get(`${client}: ${route}`, `/call/${slug}/${route}`, forwardedText(`${slug}/${route}`)),
    ),
    get(`${client}: hop`, `/call/${slug}/hop`, reportText([], [`${slug}/hop`])),
    {
      name: `${client}: a relayed stream`,
      server: 'plain',
      // HTTP/1.0 again: how a stream's bytes are cut depends on the moment, with the package and without it.
      exchanges: [[`GET /relay/${slug} HTTP/1.0\r\n\r\n`]],
      replies: [{ path: `/relay/${slug}`, whole: relayed }],
      noted: { as: `relay ${slug}`, report: relayed },
    } satisfies Case,
  ];
});
