import type { Operation } from '../control-api/wire-types';
import { consoleWord } from './operation-outcome';

/** Which operations of a project are asked for. What is left out does not matter. */
export interface OperationFilter {
  /** Only operations that concern this endpoint. */
  readonly endpointId?: string | undefined;
  /** Only operations on this branch. */
  readonly branchId?: string | undefined;
  /** Any of these actions, such as `start_compute`. */
  readonly actions?: readonly string[] | undefined;
  /** Any of these statuses, in the API's words (`running`) or the console's (`In progress`), in any case. */
  readonly statuses?: readonly string[] | undefined;
}

export function isWanted(operation: Operation, filter: OperationFilter): boolean {
  const { endpointId, branchId, actions, statuses } = filter;
  if (endpointId !== undefined && operation.endpoint_id !== endpointId) return false;
  if (branchId !== undefined && operation.branch_id !== branchId) return false;
  if (actions && !actions.includes(operation.action)) return false;
  return !statuses || statuses.some((word) => isStatus(operation, word));
}

export function isFiltering({ endpointId, branchId, actions, statuses }: OperationFilter): boolean {
  return [endpointId, branchId, actions, statuses].some((criterion) => criterion !== undefined);
}

function isStatus({ status }: Operation, word: string): boolean {
  const wanted = word.trim().toLowerCase();
  return wanted === status.toLowerCase() || wanted === consoleWord(status).toLowerCase();
}
