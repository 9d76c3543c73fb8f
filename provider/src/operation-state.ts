import type { Operation } from './control-api/wire-types';

/** An operation of the service as it is right now. */
export interface OperationState {
  readonly id: string;
  readonly projectId: string;
  readonly branchId?: string;
  readonly endpointId?: string;
  readonly action: string;
  readonly status: string;
  readonly failuresCount: number;
  /** The service's error text, when it failed. */
  readonly error?: string;
  /** How long it took, or has taken so far, by the service's own clock. Milliseconds. */
  readonly totalDurationMs?: number;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export function toOperationState(operation: Operation): OperationState {
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
    ...(operation.error !== undefined && { error: operation.error }),
    ...(operation.total_duration_ms !== undefined && { totalDurationMs: operation.total_duration_ms }),
  };
}
