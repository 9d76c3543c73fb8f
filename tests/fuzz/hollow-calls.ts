import type { LoggedRequest } from 'postgres-control-emulator';

/** The log keeps so many requests: when it is full, older ones are gone and nothing can be said. */
const LOG_SIZE = 10_000;

/**
 * The calls that never had an answer of each kind: a run in which everything is refused, or nothing, checks little.
 * @param served the methods of each path of the description
 */
export function findHollowCalls(
  requests: readonly LoggedRequest[],
  served: Readonly<Record<string, readonly string[]>>,
): string[] {
  if (requests.length >= LOG_SIZE) return [];
  return Object.entries(served).flatMap(([template, methods]) => {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
    const onPath = requests.filter(({ path }) => pattern.test(path));
    return methods.flatMap((method) => {
      const statuses = onPath
        .filter((request) => request.method === method.toUpperCase())
        .map(({ status }) => Math.floor((status ?? 0) / 100));
      return [2, 4]
        .filter((kind) => !statuses.includes(kind))
        .map((kind) => `${method.toUpperCase()} ${template} was never answered ${kind}xx`);
    });
  });
}
