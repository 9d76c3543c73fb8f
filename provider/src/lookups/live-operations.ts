import type { ControlApi } from '../control-api/control-api';
import { type OperationState, toOperationStates } from './operation-state';

/** The latest operations of a project, newest first. */
export async function readOperations(
  api: ControlApi,
  { projectId, limit = 100 }: { projectId: string; limit?: number | undefined },
): Promise<OperationState[]> {
  const { operations } = await api.listOperations(projectId, { limit });
  return toOperationStates(operations, api.redact);
}
