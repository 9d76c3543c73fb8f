import type { Operation } from '../control-api/wire-types';
import { statusLabel } from '../operations/operation-outcome';

/** Selects operations of a project. An absent criterion matches every operation. */
export interface OperationFilter {
  /** Only operations that concern this endpoint. */
  readonly endpointId?: string | undefined;
  /** Only operations on this branch. */
  readonly branchId?: string | undefined;
  /** Any of these actions, such as `start_compute`. */
  readonly actions?: readonly string[] | undefined;
  /** Any of these statuses: the API's name (`running`) or the console's label (`In progress`), in any case. */
  readonly statuses?: readonly string[] | undefined;
}

export function matchesFilter(operation: Operation, filter: OperationFilter): boolean {
  const { endpointId, branchId, actions, statuses } = filter;
  if (endpointId !== undefined && operation.endpoint_id !== endpointId) return false;
  if (branchId !== undefined && operation.branch_id !== branchId) return false;
  if (actions && !actions.includes(operation.action)) return false;
  return !statuses || statuses.some((status) => isStatus(operation, status));
}

export function isFiltering({ endpointId, branchId, actions, statuses }: OperationFilter): boolean {
  return [endpointId, branchId, actions, statuses].some((criterion) => criterion !== undefined);
}

function isStatus({ status }: Operation, nameOrLabel: string): boolean {
  const text = nameOrLabel.trim().toLowerCase();
  return text === status.toLowerCase() || text === statusLabel(status).toLowerCase();
}
