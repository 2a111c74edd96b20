import { raiseBoundaryFailure } from 'opentelemetry-instrumentation-nemo-gym';
import { asObject } from './json.ts';

/** Each request of a rollout goes below its own path: so every server's span knows the rollout. */
export function rolloutUrl(server: string, rolloutId: string): string {
  return `${server}/ng-rollout/${rolloutId}`;
}

/**
 * Posts JSON to another Gym server.
 *
 * @throws NgFailureEvent the failure that the server reported, with its own ids and causes; `HttpReplyError` when a
 * failed reply reported none
 */
export async function post(url: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await raiseBoundaryFailure(response);
  return asObject(await response.json());
}
