import { rereadUntil } from '../control-api/read-lag';
import type { Operation } from '../control-api/wire-types';
import { isFailed } from '../operations/operation-outcome';
import { namesAt } from './ledger';
import type { Resource } from './resource';
import { describeGone, describeTransition, GoneError } from './resource-errors';
import { type Item, isWaiting, type Situation } from './situation';

/** How long to pause before a resource that does not agree yet is read again. */
const pauses = { firstMs: 50, longestMs: 1_000 };

interface ReadBack<Shown> {
  readonly item: Shown;
  /** The arguments for which the service reports another value than was sent. */
  readonly drift: readonly string[];
  /** The operations whose failure keeps the resource from becoming ready. */
  readonly failed: readonly Operation[];
}

/**
 * Reads until the resource agrees with what was sent. Reads may lag behind this run's writes, so a difference has to persist.
 * @throws GoneError when no read shows it
 * @throws Error when it is not ready in time, and no operation shows why
 */
export async function readBack<Shown extends Item>(
  { flow, work, isReady }: Resource<Shown, unknown>,
  situation: Situation,
  read: () => Promise<Shown | undefined>,
): Promise<ReadBack<Shown>> {
  const { project, deadline } = work;
  const { ledger, writes, isBlind } = situation;
  const findDrift = (item: Shown) => flow.arguments.findDrift(item, work.inputs, namesAt(ledger, 'sent'));
  const isPending = (item: Shown) => isWaiting(situation) && !isReady(item);
  const isSame = (item: Shown | undefined): item is Shown =>
    item !== undefined && findDrift(item).length === 0;
  const lag = deadline.next(writes === 'none' ? 0 : project.readLagMs);
  let item = await rereadUntil(lag, read, (each) => isSame(each) && !isPending(each), pauses);
  // If an operation may have ended unseen, only the resource shows its end. After a failure, it can't become ready.
  const failed = ledger.operations.filter(isFailed);
  const isOnlyPending = (each: Shown | undefined) => isBlind && isSame(each) && isPending(each);
  if (failed.length === 0 && isOnlyPending(item)) {
    const rest = deadline.next(deadline.remainingMs);
    item = await rereadUntil(rest, read, (each) => !isOnlyPending(each), pauses);
  }
  if (!item) throw new GoneError(describeGone(work));
  if (!isOnlyPending(item)) return { item, drift: findDrift(item), failed: [] };
  if (failed.length === 0) throw new Error(describeTransition(work, item));
  return { item, drift: [], failed };
}
