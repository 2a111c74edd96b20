import { ChatOpenAI } from '@langchain/openai';
import { type Call, type ModelClient, timeLimit } from './model-client.ts';

const open = ({ baseURL, fetch }: Call) =>
  new ChatOpenAI({
    model: 'm',
    apiKey: 'none',
    maxRetries: 1,
    timeout: timeLimit(baseURL),
    configuration: { baseURL, fetch },
  });

export const client: ModelClient = {
  async whole(call) {
    const { content, response_metadata: metadata } = await open(call).invoke('hi');
    call.take({ content, metadata });
  },
  async streamed(call) {
    for await (const chunk of await open(call).stream('hi')) call.take({ content: chunk.content });
  },
};
