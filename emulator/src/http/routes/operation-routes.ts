import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ControlPlane } from '../../control-plane/control-plane';
import { found } from '../../records/api-error';
import type { ProjectSnapshot } from '../../records/history';
import type { OperationRecord } from '../../records/records';
import type { Operation } from '../../records/wire-types';
import { LATE_GET, LATE_LIST, type ProjectPath, snapshotFor } from './late-reads';
import { queryWhole, readQuery, timeCursor } from './query-parameters';

type OperationPath = { Params: { project_id: string; operation_id: string } };

const QUERY = z.object({ limit: queryWhole(1, 1000).default(100), cursor: timeCursor.optional() });

export function addOperationRoutes(api: FastifyInstance, plane: ControlPlane): void {
  api.get<ProjectPath>('/projects/:project_id/operations', LATE_LIST, (request) => {
    const project = plane.store.project(request.params.project_id);
    const { limit, cursor } = readQuery(QUERY, request.query);
    const view = snapshotFor(plane, request);
    const page = pageOf(project.operations, view, limit, cursor);
    // The cursor of an empty page leads to another empty page.
    const last = page.at(-1)?.created_at ?? cursor;
    return { operations: page, pagination: { cursor: last ?? project.wire.created_at } };
  });

  api.get<OperationPath>('/projects/:project_id/operations/:operation_id', LATE_GET, (request) => {
    const { project_id, operation_id } = request.params;
    const operation = snapshotFor(plane, request).operations.get(operation_id);
    return { operation: found(operation, `project ${project_id}: operation`, operation_id) };
  });
}

/** Operations older than the cursor, newest first. New operations are newer than any cursor, so they never shift a page. */
function pageOf(
  oldestFirst: readonly OperationRecord[],
  view: ProjectSnapshot,
  limit: number,
  before?: string,
): Operation[] {
  const page: Operation[] = [];
  for (let index = oldestFirst.length - 1; index >= 0 && page.length < limit; index -= 1) {
    const record = oldestFirst[index];
    if (record === undefined || (before !== undefined && record.wire.created_at >= before)) continue;
    const operation = view.operations.get(record.wire.id);
    if (operation !== undefined) page.push(operation);
  }
  return page;
}
