import { badRequest } from '../api-error';

export interface ProjectPath {
  Params: { project_id: string };
}

export interface BranchPath {
  Params: { project_id: string; branch_id: string };
}

export interface EndpointPath {
  Params: { project_id: string; endpoint_id: string };
}

export interface OperationPath {
  Params: { project_id: string; operation_id: string };
}

/** A query parameter that is given at most once. */
export function readQueryText(query: unknown, name: string): string | undefined {
  // Fastify's parser gives an object with a string for each name, or a list for one that is repeated.
  const value = (query as Record<string, string | string[] | undefined>)[name];
  if (Array.isArray(value)) throw badRequest(`query parameter ${name} is given ${value.length} times`);
  return value;
}

export function readLimit(query: unknown, bounds: { max: number; fallback: number }): number {
  const text = readQueryText(query, 'limit');
  if (text === undefined) return bounds.fallback;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= bounds.max) return limit;
  throw badRequest(
    `query parameter limit must be a whole number from 1 to ${bounds.max}; got ${JSON.stringify(text)}`,
  );
}
