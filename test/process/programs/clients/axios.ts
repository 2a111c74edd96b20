import axios from 'axios';
import { type Call, MESSAGES, type ModelClient, timeLimit } from './model-client.ts';

const send = ({ baseURL }: Call, stream: boolean) =>
  axios.post(
    `${baseURL}/chat/completions`,
    { model: 'm', messages: MESSAGES, stream },
    { timeout: timeLimit(baseURL), responseType: stream ? 'stream' : 'json' },
  );

export const client: ModelClient = {
  async whole(call) {
    const { status, data } = await send(call, false);
    call.take({ status, data });
  },
  async streamed(call) {
    const { status, data } = await send(call, true);
    call.take({ status });
    for await (const chunk of data) call.take(String(chunk));
  },
};
