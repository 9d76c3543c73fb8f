import type { FastifyRequest } from 'fastify';
import type { ControlPlane } from '../../control-plane/control-plane';
import type { ProjectSnapshot } from '../../records/history';
import type { ProjectRecord } from '../../records/records';

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

/** The state of a project that a read shows: the current one, unless an option or a fault makes it lag. */
export function snapshotFor(
  { history, settings }: ControlPlane,
  project: ProjectRecord,
  request: FastifyRequest,
): ProjectSnapshot {
  const { lateRead } = request.routeOptions.config;
  const byOption = { list: settings.lateListsMs, get: settings.lateGetsMs };
  const lateMs = delayedReads.get(request) ?? (lateRead === undefined ? 0 : byOption[lateRead]);
  return history.view(project, lateMs);
}
