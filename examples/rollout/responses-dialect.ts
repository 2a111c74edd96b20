import { randomUUID } from 'node:crypto';

/** The model's side of the Responses dialect, as far as this example needs it. */
export interface ModelResponse {
  readonly id: string;
  readonly object: 'response';
  readonly created_at: number;
  readonly model: string;
  readonly status: 'in_progress' | 'completed' | 'failed';
  readonly output: readonly OutputItem[];
  readonly error?: { readonly code: string; readonly message: string };
}

type OutputItem =
  | {
      readonly type: 'message';
      readonly id: string;
      readonly role: 'assistant';
      readonly status: 'completed';
      readonly content: readonly [{ type: 'output_text'; text: string; annotations: readonly [] }];
    }
  | {
      readonly type: 'function_call';
      readonly id: string;
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
      readonly status: 'completed';
    };

export function responseWith(
  status: ModelResponse['status'],
  output: readonly OutputItem[] = [],
  error?: ModelResponse['error'],
): ModelResponse {
  return {
    id: newId('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model: 'example-model',
    status,
    output,
    ...(error === undefined ? undefined : { error }),
  };
}

export function message(text: string): OutputItem {
  return {
    type: 'message',
    id: newId('msg'),
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
}

export function toolCall(name: string, args: object): OutputItem {
  return {
    type: 'function_call',
    id: newId('fc'),
    call_id: newId('call'),
    name,
    arguments: JSON.stringify(args),
    status: 'completed',
  };
}

/** The text of a response's messages. */
export function textOf(response: Record<string, unknown>): string {
  const output: unknown[] = Array.isArray(response.output) ? response.output : [];
  const parts = output.flatMap((item) => contentOf(item)).map((part) => memberOf(part, 'text'));
  return parts.filter((text) => typeof text === 'string').join('');
}

function contentOf(item: unknown): unknown[] {
  const content = memberOf(item, 'content');
  return Array.isArray(content) ? content : [];
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function newId(kind: string): string {
  return `${kind}_${randomUUID().replaceAll('-', '')}`;
}
