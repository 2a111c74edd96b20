import got from 'got';
import { type Call, MESSAGES, type ModelClient, timeLimit } from './model-client.ts';

const options = ({ baseURL }: Call, stream: boolean) => ({
  json: { model: 'm', messages: MESSAGES, stream },
  retry: { limit: 1, methods: ['POST' as const], backoffLimit: 1 },
  timeout: { request: timeLimit(baseURL) },
});

export const client: ModelClient = {
  async whole(call) {
    call.take(await got.post(`${call.baseURL}/chat/completions`, options(call, false)).json());
  },
  async streamed(call) {
    const url = `${call.baseURL}/chat/completions`;
    const stream = got.stream.post(url, { ...options(call, true), retry: { limit: 0 } });
    for await (const chunk of stream) call.take(String(chunk));
  },
};
