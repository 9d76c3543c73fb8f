import type { FastifyRequest } from 'fastify';

export const API_PREFIX = '/api/v2';

/** The path after the version segment, or undefined if the request is not to the API. */
export function apiPathOf(request: FastifyRequest): string | undefined {
  const [path = ''] = request.url.split('?');
  if (path !== API_PREFIX && !path.startsWith(`${API_PREFIX}/`)) return undefined;
  return path.slice(API_PREFIX.length);
}
