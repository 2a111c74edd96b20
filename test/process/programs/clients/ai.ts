import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import { type Call, type ModelClient, timeLimit } from './model-client.ts';

const settings = ({ baseURL, fetch }: Call) => ({
  model: createOpenAI({ apiKey: 'none', baseURL, fetch }).chat('m'),
  prompt: 'hi',
  maxRetries: 1,
  abortSignal: AbortSignal.timeout(timeLimit(baseURL)),
});

export const client: ModelClient = {
  async whole(call) {
    const { text, finishReason } = await generateText(settings(call));
    call.take({ text, finishReason });
  },
  async streamed(call) {
    const { fullStream } = streamText({ ...settings(call), onError: () => {} });
    for await (const part of fullStream) {
      if (part.type === 'error') throw part.error;
      call.take({ type: part.type, text: 'text' in part ? part.text : undefined });
    }
  },
};
