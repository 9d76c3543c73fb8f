import type { LoggedRequest } from 'postgres-control-emulator';

/** Calls without anything that could be invalid. */
const ALWAYS_VALID: readonly string[] = ['/users/me', '/users/me/organizations'];

/** The size of the request log. Once it is full, it has lost older requests, so it proves nothing. */
const LOG_SIZE = 10_000;

/**
 * The calls that never got a 2xx, or never a 4xx: a run that the emulator always accepts, or always refuses, checks little.
 * @param served the methods of each path of the description
 */
export function findHollowCalls(
  requests: readonly LoggedRequest[],
  served: ReadonlyMap<string, readonly string[]>,
): string[] {
  if (requests.length >= LOG_SIZE) return [];
  return [...served].flatMap(([template, methods]) => {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
    const onPath = requests.filter(({ path }) => pattern.test(path));
    return methods.flatMap((method) => {
      const statuses = onPath
        .filter((request) => request.method === method.toUpperCase())
        .map(({ status }) => Math.floor((status ?? 0) / 100));
      return (ALWAYS_VALID.includes(template) ? [2] : [2, 4])
        .filter((kind) => !statuses.includes(kind))
        .map((kind) => `${method.toUpperCase()} ${template} never got a ${kind}xx`);
    });
  });
}
