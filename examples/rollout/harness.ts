import type OpenAI from 'openai';
import type { Response, ResponseFunctionToolCall, ResponseInputItem } from 'openai/resources/responses/responses';
import { NgFailureEvent, observeFailure } from 'opentelemetry-instrumentation-nemo-gym';
import { respond } from './model-client.ts';

const MAX_TURNS = 6;
const ALLOWED_COMMANDS: ReadonlySet<string> = new Set(['multiply', 'allocate']);

export interface Episode {
  readonly client: OpenAI;
  readonly input: readonly ResponseInputItem[];
  readonly instructions: string;
  readonly metadata: Record<string, string>;
  /** Runs a command in the episode's sandbox. */
  readonly runCommand: (command: string) => Promise<string>;
}

/**
 * Lets the model work on the task until it answers.
 *
 * @throws NgFailureEvent of the model or of the sandbox, and the harness's own after 6 turns without an answer
 */
export async function play({ client, input, instructions, metadata, runCommand }: Episode): Promise<Response> {
  const items = [...input];
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const response = await respond(client, { model: 'example-model', instructions, metadata, input: items });
    const calls = response.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0) return response;
    for (const call of calls) {
      const output = await runTool(call, runCommand);
      items.push(call, { type: 'function_call_output', call_id: call.call_id, output });
    }
  }
  throw new NgFailureEvent({
    boundary: 'harness',
    failureKind: 'agent_timeout',
    failureReason: `No answer after ${MAX_TURNS} turns`,
    stage: 'agent',
    operation: 'play',
  });
}

async function runTool(call: ResponseFunctionToolCall, runCommand: Episode['runCommand']): Promise<string> {
  const args: unknown = JSON.parse(call.arguments);
  const command = String(Reflect.get(Object(args), 'command'));
  if (ALLOWED_COMMANDS.has(command)) return runCommand(command);
  // The episode goes on: the model is told, and the failure is an observation beside the result.
  observeFailure(
    new NgFailureEvent({
      boundary: 'harness',
      failureKind: 'agent_command_not_allowed',
      failureReason: `The model asked for "${command}"`,
      stage: 'agent',
      operation: call.name,
    }),
  );
  return 'This command is not allowed.';
}
