import OpenAI from 'openai';
import { type Call, MESSAGES, type ModelClient, timeLimit } from './model-client.ts';

const open = ({ baseURL, fetch }: Call) =>
  new OpenAI({ apiKey: 'none', baseURL, fetch, maxRetries: 1, timeout: timeLimit(baseURL) });

export const client: ModelClient = {
  async whole(call) {
    call.take(await open(call).chat.completions.create({ model: 'm', messages: MESSAGES }));
  },
  async streamed(call) {
    const stream = await open(call).chat.completions.create({ model: 'm', messages: MESSAGES, stream: true });
    for await (const chunk of stream) call.take(chunk);
  },
};
