import { isEqual, omit } from 'lodash';
import { isBranchUrn, type Stack } from '../engine/stack';
import type { Round } from '../scenario/scenario';
import { findDifference, slotName } from '../user/declared-slot';
import type { RunResult, World } from '../user/world';

/**
 * The user deletes the read replicas that requests of dead processes have made: the provider reports them, and deletes nothing that it
 * does not have in state. The service refuses a second read_write endpoint of a branch.
 */
function deleteDuplicates(
  { ground, journal, watch }: World,
  { state }: Stack,
  slots: readonly number[],
): void {
  for (const endpoint of ground.own()) {
    const { id, type } = endpoint;
    const slot = ground.slotOf(endpoint) ?? -1;
    const isInState = state.resources.some((held) => held.id === id);
    if (isInState || type !== 'read_only' || !slots.includes(slot) || !watch.createdLate.has(id)) continue;
    journal.count(watch.reportedDuplicates.has(id) ? 'reported duplicates' : 'late duplicates');
    ground.controls.deleteEndpoint(id);
  }
}

/** Checks that the service and the state have one endpoint for each slot that is declared, as declared, and no others. */
export function checkEndpoints(world: World, stack: Stack): void {
  const { ground, watch } = world;
  const isNormalized = world.scenario.service.normalizeSettings === true;
  const slots = world.slotsOf(stack);
  deleteDuplicates(world, stack, slots);
  const own = ground.own().filter((endpoint) => slots.includes(ground.slotOf(endpoint) ?? -1));
  const declared = world.declared(stack);
  const inState = stack.state.resources.flatMap(({ id, urn }) => (isBranchUrn(urn) ? [] : [id])).sort();
  const held = own.map(({ id }) => id).sort();
  if (held.length !== declared.length)
    watch.violate(
      'one endpoint for each resource',
      `the service has ${held.length} endpoints (${held}), stack ${stack.name} declares ${declared.length}`,
    );
  if (!isEqual(inState, held))
    watch.violate(
      'one endpoint for each resource',
      `the state of stack ${stack.name} has ${inState}, the service has ${held}`,
    );
  for (const { slot, plan } of declared) {
    const id = stack.find(world.urnOf(stack, slot))?.id;
    const endpoint = own.find((candidate) => candidate.id === id);
    const difference = endpoint
      ? findDifference(ground, slot, plan, endpoint, isNormalized)
      : 'does not exist';
    if (difference)
      watch.violate('the endpoint is as declared', `${slotName(slot)}: endpoint ${id} ${difference}`);
  }
}

/**
 * Checks that a successful run waited for every operation that it started, and that none of them failed for good: one that
 * a lost response had started may fail, and is then repeated.
 */
export function checkSuccess(world: World, stack: Stack, startedAt: number): void {
  const waiting = world.declared(stack).flatMap(({ slot, plan }) => (plan.isWaiting ? [slot] : []));
  const { ground, watch } = world;
  const waitedFor = ground.own().filter((endpoint) => waiting.includes(ground.slotOf(endpoint) ?? -1));
  const ids = new Set(waitedFor.map(({ id }) => id));
  const newest = new Map(
    ground.ownOperations().map((operation) => [`${operation.endpoint_id} ${operation.action}`, operation]),
  );
  for (const { id, action, status, endpoint_id = '', created_at } of newest.values()) {
    // An operation of the very first millisecond is of the run before, which was killed just then.
    if (!ids.has(endpoint_id) || Date.parse(created_at) <= startedAt || status === 'finished') continue;
    // A process that was killed had sent the request, and the state does not have it. Or a client has connected.
    if (watch.unheard.has(id)) continue;
    // The service has the values, and a compute that starts later applies them.
    const { status: startStatus, created_at: startCreatedAt = '' } =
      newest.get(`${endpoint_id} start_compute`) ?? {};
    if (action === 'apply_config' && startStatus === 'finished' && startCreatedAt > created_at) continue;
    // Then its suspension and its next start are not the run's.
    if (ground.wasAutosuspended(endpoint_id)) continue;
    watch.violate(
      'no false success',
      `the run succeeded, but ${action} ${id} of ${endpoint_id} is ${status}`,
    );
  }
}

/**
 * Checks that a change whose operation failed was sent again. The service does no more about it: it has the values already. A
 * run that is cut off, or does not wait, does not learn of the failure.
 */
export function checkRepeated(world: World, stack: Stack, round: Round, results: readonly RunResult[]): void {
  const { ground, watch } = world;
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
    if (isDisturbed || !plan.isWaiting || !['failed', 'error', 'cancelled'].includes(status)) continue;
    if (!watch.traffic.isChangedSince(endpointId, Date.parse(updated_at)))
      watch.violate('no false success', `apply_config ${id} of ${endpointId} is ${status}, and not repeated`);
  }
}

/** Attributes that the service changes by itself: it suspends an idle compute after five minutes. */
const ownChanges = ['current_state', 'pending_state', 'updated_at', 'suspended_at'];

/** Checks that the endpoints of other clients are unchanged. */
export function checkForeign({ ground, watch }: World): void {
  const held = new Map(ground.records().map(({ wire }) => [wire.id, wire]));
  const report = (what: string) => watch.violate('endpoints of other clients are untouched', what);
  for (const before of ground.foreign) {
    const now = held.get(before.id);
    if (!isEqual(omit(now, ownChanges), omit(before, ownChanges)))
      report(`${before.id} changed from ${JSON.stringify(before)} to ${JSON.stringify(now)}`);
    if (ground.controls.connectionDrops(before.id) > 0) report(`${before.id} lost connections`);
  }
}
