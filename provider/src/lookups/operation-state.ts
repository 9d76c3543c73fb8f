import type { ControlApi } from '../control-api/control-api';
import { toPrintable } from '../control-api/printable';
import type { Redact } from '../control-api/redaction';
import type { Operation } from '../control-api/wire-types';

/** The current state of an operation. */
export interface OperationState {
  /** The operation's id, a UUID. */
  readonly id: string;
  /** The project of the operation. */
  readonly projectId: string;
  /** The branch of the operation, if any. */
  readonly branchId?: string;
  /** The endpoint of the operation, if any. */
  readonly endpointId?: string;
  /** Such as `start_compute`; the service may add actions. */
  readonly action: string;
  /** Such as `running`, `finished` or `failed`; the service may add statuses. */
  readonly status: string;
  /** The number of failed attempts. @integer */
  readonly failuresCount: number;
  /** The service's error message, if there is one. */
  readonly error?: string;
  /** How long the operation took, or has taken so far, by the service's clock. Milliseconds. @integer */
  readonly totalDurationMs?: number;
  /** When the operation was created. ISO 8601. */
  readonly createdAt: string;
  /** When the status last changed. For a finished or failed operation, its end. ISO 8601. */
  readonly updatedAt: string;
}

/** @param redact redacts the key in the service's error message @internal */
export function toOperationState(operation: Operation, redact: Redact): OperationState {
  return {
    id: operation.id,
    projectId: operation.project_id,
    action: operation.action,
    status: operation.status,
    failuresCount: operation.failures_count,
    createdAt: operation.created_at,
    updatedAt: operation.updated_at,
    ...(operation.branch_id !== undefined && { branchId: operation.branch_id }),
    ...(operation.endpoint_id !== undefined && { endpointId: operation.endpoint_id }),
    ...(operation.error !== undefined && { error: toPrintable(redact(operation.error)) }),
    ...(operation.total_duration_ms !== undefined && { totalDurationMs: operation.total_duration_ms }),
  };
}

/** @internal */
export function toOperationStates(operations: readonly Operation[], redact: Redact): OperationState[] {
  return operations.map((operation) => toOperationState(operation, redact));
}

/** The latest operations of a project, newest first. @internal */
export async function readOperations(
  api: ControlApi,
  { projectId, limit = 100 }: { projectId: string; limit?: number | undefined },
): Promise<OperationState[]> {
  const { operations } = await api.listOperations(projectId, { limit });
  return toOperationStates(operations, api.redact);
}
