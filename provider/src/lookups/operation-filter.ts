import type { Operation } from '../control-api/wire-types';
import { knownStatuses, statusLabel } from '../operations/operation-outcome';

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

/** @internal */
export function matchesFilter(operation: Operation, filter: OperationFilter): boolean {
  const { endpointId, branchId, actions, statuses } = filter;
  if (endpointId !== undefined && operation.endpoint_id !== endpointId) return false;
  if (branchId !== undefined && operation.branch_id !== branchId) return false;
  if (actions && !actions.includes(operation.action)) return false;
  return !statuses || statuses.some((status) => isStatus(operation.status, status));
}

export function isFiltering({ endpointId, branchId, actions, statuses }: OperationFilter): boolean {
  return [endpointId, branchId, actions, statuses].some((criterion) => criterion !== undefined);
}

/** @throws Error that lists the statuses, if one of the filter is neither the name nor the label of any */
export function requireKnownStatuses({ statuses = [] }: OperationFilter): void {
  const unknown = statuses.find((text) => !knownStatuses.some((status) => isStatus(status, text)));
  if (unknown === undefined) return;
  throw new Error(`"${unknown}" is not a status of an operation; those are ${knownStatuses.join(', ')}.`);
}

function isStatus(status: string, nameOrLabel: string): boolean {
  const text = nameOrLabel.trim().toLowerCase();
  return text === status.toLowerCase() || text === statusLabel(status).toLowerCase();
}
