import { isEqual, isMatch, omit } from 'lodash';
import type { Endpoint } from 'postgres-control-emulator';
import type { SlotPlan } from '../chaos/slot-plan';
import { slotName } from './program';
import type { Stack } from './stack';
import type { World } from './world';

/** Checks that the service and the state have one endpoint for each slot that is declared, as declared, and no others. */
export function checkEndpoints(world: World, stack: Stack): void {
  const { ground, watch } = world;
  const slots = world.slotsOf(stack);
  const own = ground.own().filter((endpoint) => slots.includes(ground.slotOf(endpoint) ?? -1));
  const declared = world.declared(stack);
  const inState = stack.state.resources.map(({ id }) => id).sort();
  const held = own.map(({ id }) => id).sort();
  if (held.length !== declared.length)
    watch.violate(
      `the service has ${held.length} endpoints (${held}), stack ${stack.name} declares ${declared.length}`,
    );
  if (!isEqual(inState, held))
    watch.violate(`the state of stack ${stack.name} has ${inState}, the service has ${held}`);
  for (const { slot, plan } of declared) {
    const id = stack.find(world.urnOf(stack, slot))?.id;
    const endpoint = own.find((candidate) => candidate.id === id);
    const difference = endpoint ? findDifference(world, slot, plan, endpoint) : 'does not exist';
    if (difference) watch.violate(`${slotName(slot)}: endpoint ${id} ${difference}`);
  }
}

/**
 * Checks that a successful run waited for every operation that it started, and that none of them failed for good: one that
 * a lost response had started may fail, and is then repeated.
 */
export function checkSuccess(world: World, stack: Stack, startedAt: number): void {
  const waiting = world.declared(stack).flatMap(({ slot, plan }) => (plan.isWaiting ? [slot] : []));
  const { ground } = world;
  const waitedFor = ground.own().filter((endpoint) => waiting.includes(ground.slotOf(endpoint) ?? -1));
  const ids = new Set(waitedFor.map(({ id }) => id));
  const newest = new Map(
    ground.ownOperations().map((operation) => [`${operation.endpoint_id} ${operation.action}`, operation]),
  );
  for (const { id, action, status, endpoint_id = '', created_at } of newest.values()) {
    if (!ids.has(endpoint_id) || Date.parse(created_at) < startedAt || status === 'finished') continue;
    world.watch.violate(`the run succeeded, but ${action} ${id} of ${endpoint_id} is ${status}`);
  }
}

/** Attributes that the service changes by itself. */
const ownChanges = ['current_state', 'pending_state', 'updated_at', 'suspended_at'];

/** Checks that the endpoints of other clients are unchanged. */
export function checkForeign({ ground, watch }: World): void {
  const endpoints = new Map(ground.records().map(({ wire }) => [wire.id, wire]));
  for (const before of ground.foreign) {
    const now = endpoints.get(before.id);
    if (!isEqual(omit(now, ownChanges), omit(before, ownChanges)))
      watch.violate(
        `${before.id} of another client changed from ${JSON.stringify(before)} to ${JSON.stringify(now)}`,
      );
    if (ground.controls.connectionDrops(before.id) > 0)
      watch.violate(`${before.id} of another client lost connections`);
  }
}

function findDifference(
  { ground, scenario }: World,
  slot: number,
  plan: SlotPlan,
  held: Endpoint,
): string | undefined {
  const { projectId, branchId } = ground.place(slot, plan);
  const declared = {
    project_id: projectId,
    branch_id: branchId,
    type: plan.type,
    autoscaling_limit_min_cu: plan.size[0],
    autoscaling_limit_max_cu: plan.size[1],
    suspend_timeout_seconds: plan.suspendTimeoutSeconds,
    ...(plan.name && { name: ground.texts.name(slot, plan.project, plan.name) }),
  };
  if (!isMatch(held, declared))
    return `differs from its declaration: ${JSON.stringify(omit(held, 'settings'))}, declared ${JSON.stringify(declared)}`;
  const settings = ground.texts.settings(slot, plan);
  const expected = scenario.service.normalizeSettings ? normalize(settings) : settings;
  const actual = omit(held.settings.pg_settings, 'log_timezone');
  if (isEqual(actual, expected)) return undefined;
  return `has the settings ${JSON.stringify(actual)}, declared ${JSON.stringify(expected)}`;
}

/** The settings as the emulator reports them with `normalizeSettings`. */
function normalize({ work_mem, ...settings }: Record<string, string>): Record<string, string> {
  return { ...settings, ...(work_mem && { work_mem: `${Number.parseInt(work_mem, 10) * 1024}kB` }) };
}
