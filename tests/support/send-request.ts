import type { Emulator } from 'postgres-control-emulator';

/** Sends a request to an emulator's API, with its key. */
export function sendRequest(
  { url, apiKey }: Pick<Emulator, 'url' | 'apiKey'>,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}
