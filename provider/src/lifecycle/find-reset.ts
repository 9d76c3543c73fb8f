import { rereadUntil } from '../control-api/read-lag';
import type { Operation } from '../control-api/wire-types';
import { isFailed } from '../operations/operation-outcome';
import { isCreation } from './ledger';
import type { Change, Resource } from './resource';
import type { ResourceRequests } from './resource-requests';
import type { Item, Situation } from './situation';

type IsEnough = (listed: readonly Operation[]) => boolean;

/**
 * A reset by this run or a killed one that the state does not account for. It counts unless it has failed: a second one would
 * delete later writes.
 * @param list the operations of the resource that the state does not account for, newest first
 */
export async function findReset<Shown extends Item>(
  { work, reset }: Resource<Shown, unknown>,
  { writes, ledger }: Situation,
  requests: ResourceRequests<Shown>,
  list: (isEnough: IsEnough) => Promise<readonly Operation[]>,
): Promise<Change<Shown> | undefined> {
  const { project, deadline } = work;
  const isReset = (shown: Shown) => reset?.isDone(shown) === true;
  const lag = deadline.within(writes === 'unknown' ? project.readLagMs : 0);
  const item = await rereadUntil(lag, () => requests.read(), isReset);
  if (!isReset(item)) return undefined;
  const [listed] = await list(([first]) => first !== undefined && !isFailed(first));
  const newest = listed ?? ledger.operations.find(isCreation);
  if (newest && isFailed(newest)) return undefined;
  return { item, operations: newest ? [newest] : [] };
}
