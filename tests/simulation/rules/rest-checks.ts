import { difference, isEqual, map, omit } from 'lodash';
import type { Endpoint } from 'postgres-control-emulator';
import { failedStatuses } from '../../support/operation';
import type { Stack } from '../engine/stack';
import { isDestroy, type Round } from '../scenario/scenario';
import type { SlotPlan } from '../scenario/slot-plan';
import { unlessRefused } from '../service/served-plane';
import { findDifference, slotName } from '../user/declared-slot';
import type { RunResult, World } from '../user/world';
import type { Before } from './baseline';

/**
 * The read replicas that requests of dead processes have made, or requests that arrived twice: the provider reports them, and deletes
 * nothing that it does not have in state. The service refuses a second read_write endpoint of a branch.
 */
function findDuplicates({ ground, watch }: World, { state }: Stack, slots: readonly number[]): Endpoint[] {
  const isInState = ({ id }: Endpoint) => state.resources.some((held) => held.id === id);
  return ground.own().filter((own) => {
    const { id, type, name, branch_id } = own;
    const isOfStack = slots.includes(ground.slotOf({ branch_id }) ?? -1);
    // A killed create has made it under the name that an unfinished rename has given the old one since.
    const isNamesake = ground.own().some((other) => other.name === name && isInState(other));
    const isLate = watch.createdLate.has(id) || isNamesake;
    return !isInState(own) && type === 'read_only' && isOfStack && isLate;
  });
}

/** The user deletes them, once the project is not locked. */
function deleteDuplicates({ ground, book }: World, duplicates: readonly Endpoint[]): void {
  for (const { id } of duplicates) {
    book.excuse('made by a dead process');
    unlessRefused(() => ground.controls.deleteEndpoint(id));
  }
}

/** A resource that the stack declares, and how what the service has differs from that. */
interface Declared {
  readonly urn: string;
  readonly findDifference: (id: string) => string | undefined;
}

function findDeclared(world: World, stack: Stack): Declared[] {
  const { ground } = world;
  const endpoints = world.declared(stack).map(({ slot, plan }) => ({
    urn: world.urnOf(stack, slot),
    findDifference: (id: string) => {
      const held = ground.own(slot).find((own) => own.id === id);
      return held ? findDifference(ground, slot, plan, held) : 'does not exist';
    },
  }));
  const branches = world.declaredBranches(stack).map(({ slot, plan }) => ({
    urn: world.branchUrnOf(stack, slot),
    findDifference: (id: string) => {
      const held = ground.branches.own(slot).find((own) => own.id === id);
      return held ? ground.branches.findDifference(slot, plan, held) : 'does not exist';
    },
  }));
  return [...endpoints, ...branches];
}

/** Checks that program, state and service agree: they have the same resources, each as declared, and no others. */
export function checkAgreement(world: World, stack: Stack): void {
  const { ground, book } = world;
  const slots = world.slotsOf(stack);
  const duplicates = findDuplicates(world, stack, slots);
  deleteDuplicates(world, duplicates);
  const endpoints = ground.own().filter((endpoint) => slots.includes(ground.slotOf(endpoint) ?? -1));
  const branches = slots.flatMap((slot) => ground.branches.own(slot));
  const held = difference(map([...endpoints, ...branches], 'id'), map(duplicates, 'id')).sort();
  const inState = stack.state.resources.map(({ id }) => id).sort();
  const declared = findDeclared(world, stack);
  book.check(
    'one for each resource',
    held.length === declared.length && isEqual(inState, held),
    () =>
      `stack ${stack.name} declares ${declared.length} resources, its state has ${inState}, the service has ${held}`,
  );
  for (const each of declared) {
    const id = stack.find(each.urn)?.id ?? '';
    const difference = each.findDifference(id);
    if (difference && world.resets.isLate(id) && book.excuse('reset by a dead process')) continue;
    book.check('everything is as declared', !difference, () => `${each.urn}: ${id} ${difference}`);
  }
}

/**
 * Checks that a successful run waited for every operation that it started, and that none of them failed for good: one that
 * a lost response had started may fail, and is then repeated.
 */
export function checkSuccess(world: World, stack: Stack, startedAt: number): void {
  const { ground, watch, book } = world;
  const waiting = world.declared(stack).flatMap(({ slot, plan }) => (plan.isWaiting ? [slot] : []));
  const waitedFor = ground.own().filter((endpoint) => waiting.includes(ground.slotOf(endpoint) ?? -1));
  const ids = new Set(waitedFor.map(({ id }) => id));
  const newest = new Map(
    ground.ownOperations().map((operation) => [`${operation.endpoint_id} ${operation.action}`, operation]),
  );
  for (const { id, action, status, endpoint_id = '', created_at } of newest.values()) {
    // An operation of the very first millisecond is of the run before, which was killed just then.
    if (!ids.has(endpoint_id) || Date.parse(created_at) <= startedAt) continue;
    // The compute then stays up, until the timer tries again.
    if (ground.isOfTimer(id)) continue;
    const isKept = status === 'finished' || (watch.unheard.has(id) && book.excuse('nobody heard of it'));
    book.check(
      'no false success',
      isKept,
      () => `the run succeeded, but ${action} ${id} of ${endpoint_id} is ${status}`,
    );
  }
}

/**
 * Checks that a change whose operation failed was sent again. The service does no more about it: it has the values already. A
 * run that is cut off, or does not wait, does not learn of the failure.
 */
export function checkRepeated(world: World, stack: Stack, round: Round, results: readonly RunResult[]): void {
  const { ground, watch, book } = world;
  if (results.some(({ run }) => run.isCutOff)) return;
  const newest = new Map(
    ground
      .ownOperations()
      .filter(({ action }) => action === 'apply_config')
      .map((operation) => [operation.endpoint_id ?? '', operation]),
  );
  for (const { slot, plan } of world.declared(stack)) {
    const endpointId = stack.find(world.urnOf(stack, slot))?.id ?? '';
    const { id = '', status = '', updated_at = '' } = newest.get(endpointId) ?? {};
    const isDisturbed = round.disturbances.some((disturbance) => disturbance.slot === slot);
    if (isDisturbed || !plan.isWaiting || !failedStatuses.includes(status)) continue;
    book.check(
      'no false success',
      watch.traffic.isChangedSince(endpointId, Date.parse(updated_at)),
      () => `apply_config ${id} of ${endpointId} is ${status}, and not repeated`,
    );
  }
}

/** Checks, at rest, that a slot's other endpoint has a reason. */
export function checkReplaced(
  { ground, book }: World,
  round: Round,
  slot: number,
  before: Before,
  endpoint: Endpoint,
  plans: readonly SlotPlan[],
): void {
  const { plan: first } = before;
  const isDeclared =
    isDestroy(round) ||
    round.forced.some((force) => force.slot === slot) ||
    (ground.branches.plans.length > 0 && before.branchId !== endpoint.branch_id) ||
    [first, ...plans].some(({ isDeclared, type, project }) => {
      const last = plans.at(-1);
      return !isDeclared || type !== last?.type || project !== last.project;
    });
  book.check(
    'nothing is replaced without a reason',
    isDeclared,
    () => `${slotName(slot)}: ${before.id} was replaced by ${endpoint.id}, which nothing asked for`,
  );
}

/** Attributes that the service changes by itself: it suspends an idle compute after five minutes, and makes the data of a branch. */
const ownChanges = ['current_state', 'pending_state', 'updated_at', 'suspended_at'];

/** Checks that what other clients have is unchanged. */
export function checkForeign({ ground, book }: World): void {
  const all = [...ground.records().map(({ wire }) => wire), ...ground.branches.held()];
  const held = new Map(all.map((each) => [each.id, each]));
  for (const before of [...ground.foreign, ...ground.branches.foreign]) {
    const now = held.get(before.id);
    book.check(
      'what others have is untouched',
      isEqual(omit(now, ownChanges), omit(before, ownChanges)) &&
        (!('branch_id' in before) || ground.controls.connectionDrops(before.id) === 0),
      () => `${before.id} changed from ${JSON.stringify(before)} to ${JSON.stringify(now)}`,
    );
  }
}
