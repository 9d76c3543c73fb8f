import { map, union } from 'lodash';
import type { Stack } from '../engine/stack';
import { isDestroy, type Round } from '../scenario/scenario';
import type { World } from './world';

/**');
}

/**
 * The resources for which the user repeats `--replace`: they create before they delete, and the interrupted create has left an
 * endpoint. The state does not record `--replace`, so a plain `up` has no reason to create, and does not find it.
 */
export function findUnreplaced(world: World, { forced }: Round, stack: Stack): ReadonlySet<string> {
  const inState = stack.state.resources.map(({ id }) => id);
  const targets = world.declared(stack).filter(({ slot, plan }) => {
    const isForced = forced.some((force) => force.slot === slot && force.how === '--replace');
    const isLeft = world.ground.own(slot).some(({ id }) => !inState.includes(id));
    return isForced && plan.createsBeforeDelete && isLeft;
  });
  return new Set(targets.map(({ slot }) => world.urnOf(stack, slot)));
}

/**
 * Whether a forced replacement that creates first may have created an endpoint beside its old one. It takes the old one over
 * unless a stale list hides it. If a list hides the new one from the next `up`, that one takes over the old one and leaves the new.
 */
export function mayHaveReplacedBeside({ plans }: World, { forced }: Round): boolean {
  return forced.some(({ slot }) => plans[slot]?.createsBeforeDelete);
}

/** The resources whose endpoint has another name than their inputs in state: an update that failed has renamed it, or other people. */
export function findRenamed(world: World, stack: Stack): readonly number[] {
  const renamed = stack.state.resources.filter(({ id, urn, inputs }) => {
    const slot = world.slotOfUrn(urn);
    const held = world.ground.own(slot).find((own) => own.id === id);
    return held && held.name !== inputs.values.name;
  });
  return renamed.map(({ urn }) => world.slotOfUrn(urn));
}

/**
 * Deletes what a killed replacement has created beside an old endpoint whose name the state did not have, or that other people
 * have deleted since: its derived name stands for that of the old one, so after a refresh no later create finds it.
 */
export function deleteUnknown(world: World, round: Round, stack: Stack, renamed: readonly number[]): void {
  const { ground, journal, plans } = world;
  const changed = round.disturbances.filter(({ what }) =>
    ['rename an endpoint', 'delete an endpoint'].includes(what),
  );
  const unknown = union(renamed, map(changed, 'slot')).filter(
    (slot) =>
      world.slotsOf(stack).includes(slot) &&
      plans[slot]?.createsBeforeDelete &&
      round.forced.some((force) => force.slot === slot && force.how === 'replaceOnChanges'),
  );
  const inState = stack.state.resources.map(({ id }) => id);
  for (const slot of unknown)
    for (const { id } of ground.own(slot).filter((own) => !inState.includes(own.id))) {
      journal.note('user', () => `deletes ${id}`);
      ground.controls.deleteEndpoint(id);
    }
}

/** Whether the next `up` does not delete again what this one has begun to delete. */
export function deletesWithoutRecord({ command, forced }: Round): boolean {
  return isDestroy({ command }) || forced.some(({ how }) => how === '--replace');
}
