import { toPrintable } from '../control-api/printable';
import type { Redact } from '../control-api/redaction';
import type { Operation } from '../control-api/wire-types';

/** An operation of the service as it is right now. */
export interface OperationState {
  /** The operation's id, a UUID. */
  readonly id: string;
  /** The project that it belongs to. */
  readonly projectId: string;
  /** The branch that it concerns, if any. */
  readonly branchId?: string;
  /** The endpoint that it concerns, if any. */
  readonly endpointId?: string;
  /** Such as `start_compute`; the service may add words. */
  readonly action: string;
  /** Such as `running`, `finished` or `failed`; the service may add words. */
  readonly status: string;
  /** How often it was tried in vain. */
  readonly failuresCount: number;
  /** The service's error text, when it failed. */
  readonly error?: string;
  /** How long it took, or has taken so far, by the service's own clock. Milliseconds. */
  readonly totalDurationMs?: number;
  /** When it was asked for. ISO 8601. */
  readonly createdAt: string;
  /** When its status last changed: its end, once it has ended. ISO 8601. */
  readonly updatedAt: string;
}

/** @param redact takes the key out of the service's error text */
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

export function toOperationStates(operations: readonly Operation[], redact: Redact): OperationState[] {
  return operations.map((operation) => toOperationState(operation, redact));
}
