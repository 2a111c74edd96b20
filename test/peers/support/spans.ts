import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A span, whichever language ended it. */
export interface SpanLine {
  readonly language: 'node' | 'python';
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string | null;
  readonly events?: readonly { readonly attributes: Readonly<Record<string, unknown>> }[];
}

const EVENT_ID = 'nemo.gym.failure.event_id';
const WAIT_MS = 20;
const MOST_MS = 10_000;

function spansIn(file: string, language: SpanLine['language']): SpanLine[] {
  if (!existsSync(file)) return [];
  // A line that is being written has no end yet.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line): SpanLine => ({ ...JSON.parse(line), language }));
}

/** The files that each language's spans go to. */
export interface SpanFiles {
  readonly node: readonly string[];
  readonly python: readonly string[];
}

/** All spans that `wanted` accepts, as soon as there are `count`: a server's span ends after its reply. */
export async function spansWhen(
  files: SpanFiles,
  count: number,
  wanted: (span: SpanLine) => boolean,
): Promise<readonly SpanLine[]> {
  for (let waited = 0; ; waited += WAIT_MS) {
    const spans = [
      ...files.node.flatMap((file) => spansIn(file, 'node')),
      ...files.python.flatMap((file) => spansIn(file, 'python')),
    ].filter(wanted);
    if (spans.length >= count) return spans;
    if (waited > MOST_MS) throw new Error(`${spans.length} of ${count} spans: ${JSON.stringify(spans)}`);
    await sleep(WAIT_MS);
  }
}

/** Whether the span shows the event. */
export function shows({ events = [] }: SpanLine, eventId: string): boolean {
  return events.some(({ attributes }) => attributes[EVENT_ID] === eventId);
}

/** `span`, its parent, and so on up to one whose parent is not among `spans`. */
export function upwards(span: SpanLine | undefined, spans: readonly SpanLine[]): SpanLine[] {
  if (span === undefined) return [];
  return [
    span,
    ...upwards(
      spans.find(({ spanId }) => spanId === span.parentSpanId),
      spans,
    ),
  ];
}
