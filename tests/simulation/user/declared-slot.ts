import { isEqual, isMatch, omit } from 'lodash';
import type { Endpoint } from 'postgres-control-emulator';
import type { SlotPlan } from '../scenario/slot-plan';
import type { SlotTexts } from '../scenario/slot-texts';

// What the programs declare for a slot, and what the service should have of it.

/** Where the slots are, and what their texts are. */
export interface SlotGround {
  readonly texts: SlotTexts;
  /** The slots for which the user has set `adopt: true` after a killed create. */
  readonly adopted: { has(slot: number): boolean };
  place(slot: number, plan: SlotPlan): { readonly projectId: string; readonly branchId: string };
}

export function slotName(slot: number): string {
  return `slot-${slot}`;
}

export function branchName(slot: number): string {
  return `branch-${slot}`;
}

/** The arguments of a slot's ComputeEndpoint, with a marker around each secret. */
export function slotArguments(ground: SlotGround, slot: number, plan: SlotPlan) {
  return {
    ...ground.place(slot, plan),
    type: plan.type,
    autoscalingLimitMinCu: plan.size[0],
    autoscalingLimitMaxCu: plan.size[1],
    suspendTimeoutSeconds: plan.suspendTimeoutSeconds,
    ...ground.texts.inputs(slot, plan),
    ...(!plan.isWaiting && { waitForOperations: false }),
    ...(plan.isStopped && { disabled: true }),
    ...(ground.adopted.has(slot) && { adopt: true }),
  };
}

/** How the endpoint that the service has differs from what the slot declares. */
export function findDifference(
  ground: SlotGround,
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
    disabled: plan.isStopped,
    ...(plan.name && { name: ground.texts.name(slot, plan.project, plan.name) }),
  };
  if (!isMatch(held, declared))
    return `differs from its declaration: ${JSON.stringify(omit(held, 'settings'))}, declared ${JSON.stringify(declared)}`;
  const settings = ground.texts.settings(slot, plan);
  const { pg_settings: actual } = held.settings;
  if (isEqual(actual, settings)) return undefined;
  return `has the settings ${JSON.stringify(actual)}, declared ${JSON.stringify(settings)}`;
}
