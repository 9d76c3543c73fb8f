import type { Properties, ReadProperties } from '../../provider/src/plugin/properties';
import type { SlotPlan } from '../chaos/slot-plan';
import type { Ground } from './ground';
import type { Scenario } from './scenario';
import type { DeclaredResource, Stack } from './stack';

export function slotName(slot: number): string {
  return `slot-${slot}`;
}

/** The slots that a stack declares. */
export function declaredSlots(
  plans: readonly SlotPlan[],
  slots: readonly number[],
): { readonly slot: number; readonly plan: SlotPlan }[] {
  return slots.flatMap((slot) => {
    const plan = plans[slot];
    return plan?.isDeclared ? [{ slot, plan }] : [];
  });
}

/** What the program of a stack registers, as the SDK's class `ComputeEndpoint` does. */
export function declareProgram(
  stack: Stack,
  ground: Ground,
  { timeoutSeconds }: Scenario,
  declared: readonly { readonly slot: number; readonly plan: SlotPlan }[],
): DeclaredResource[] {
  return declared.map(({ slot, plan }) => ({
    urn: stack.urnOf(slotName(slot)),
    inputs: unwrapSecrets({
      ...ground.place(slot, plan),
      type: plan.type,
      autoscalingLimitMinCu: plan.size[0],
      autoscalingLimitMaxCu: plan.size[1],
      suspendTimeoutSeconds: plan.suspendTimeoutSeconds,
      ...ground.texts.inputs(slot, plan),
      ...(!plan.isWaiting && { waitForOperations: false }),
      ...(ground.adopted.has(slot) && { adopt: true }),
      ...(plan.createsBeforeDelete && { __createsBeforeDelete: true }),
    }),
    deletesFirst: !plan.createsBeforeDelete,
    timeoutSeconds,
    importId: ground.imported.get(slot),
  }));
}

/** The values without the marks of SlotTexts, and the names of the inputs that have one. */
function unwrapSecrets(inputs: Properties): ReadProperties {
  const secretNames: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(inputs)) {
    values[name] = value;
    if (typeof value !== 'object') continue;
    let isSecret = false;
    values[name] = JSON.parse(JSON.stringify(value), (_key, each) => {
      if (!each || typeof each !== 'object' || !Object.hasOwn(each, '$secret')) return each;
      isSecret = true;
      return each.$secret;
    });
    if (isSecret) secretNames.push(name);
  }
  return { values, secretNames };
}
