import type { FastifyRequest } from 'fastify';
import type { ControlPlane } from '../../control-plane/control-plane';
import type { ProjectSnapshot } from '../../records/history';

export type ProjectPath = { Params: { project_id: string } };
export type BranchPath = { Params: { project_id: string; branch_id: string } };
export type EndpointPath = { Params: { project_id: string; endpoint_id: string } };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Marks a route whose reads can lag behind writes: a list, or one record. */
    lateRead?: 'list' | 'get';
  }
}

export const LATE_LIST = { config: { lateRead: 'list' } } as const;
export const LATE_GET = { config: { lateRead: 'get' } } as const;

const delayedReads = new WeakMap<FastifyRequest, number>();

/** Makes one read lag by `lateMs`, regardless of the options. */
export function delayRead(request: FastifyRequest, lateMs: number): void {
  delayedReads.set(request, lateMs);
}

export function snapshotFor(
  { store, history, settings }: ControlPlane,
  request: FastifyRequest<ProjectPath>,
): ProjectSnapshot {
  const { lateRead } = request.routeOptions.config;
  const byOption = { list: settings.lateListsMs, get: settings.lateGetsMs };
  // A request is the same object, whatever its parameters.
  const lateMs =
    delayedReads.get(request as FastifyRequest) ?? (lateRead === undefined ? 0 : byOption[lateRead]);
  return history.view(store.project(request.params.project_id), lateMs);
}
