import { mapValues } from 'lodash';
import type { Properties } from '../../provider/src/lifecycle/resource-identity';
import type { ReadProperties } from '../../provider/src/plugin/properties';
import { slotArguments, slotName } from '../chaos/declared-slot';
import type { SlotPlan } from '../chaos/slot-plan';
import type { Ground } from './ground';
import type { Scenario } from './scenario';
import type { DeclaredResource, Reference, Stack } from './stack';

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
  dependedOn: string | undefined,
  declared: readonly { readonly slot: number; readonly plan: SlotPlan }[],
): DeclaredResource[] {
  return declared.map(({ slot, plan }) => ({
    urn: stack.urnOf(slotName(slot)),
    inputs: unwrapSecrets({
      ...slotArguments(ground, slot, plan),
      ...(isDependent(stack.urnOf(slotName(slot)), dependedOn) && dependentArgument),
      ...(plan.createsBeforeDelete && { __createsBeforeDelete: true }),
      ...(ground.isGuarded && { allowRestart: false }),
    }),
    deletesFirst: !plan.createsBeforeDelete,
    timeoutSeconds,
    importId: ground.imported.get(slot),
    replaceOnChanges: ground.replacedOnChanges.has(slot) ? ['suspendTimeoutSeconds'] : undefined,
    references: {
      ...(isDependent(stack.urnOf(slotName(slot)), dependedOn) && referenceTo(dependedOn)),
      ...(ground.branches.declared(slot)?.hasEndpoint && {
        branchId: { urn: stack.urnOf(branchName(slot), 'Branch'), output: 'id' },
      }),
    },
  }));
}

/** The argument that dependents take from the resource that they depend on. Its value never changes. */
export const dependentArgument = { poolerMode: 'transaction' };

/** @param dependedOn the resource that all others of the stack depend on, if there is one */
export function isDependent(resource: string, dependedOn: string | undefined): dependedOn is string {
  return dependedOn !== undefined && resource !== dependedOn;
}

export function referenceTo(urn: string): Record<string, Reference> {
  return mapValues(dependentArgument, (_value, output) => ({ urn, output }));
}

export function branchName(slot: number): string {
  return `branch-${slot}`;
}

/** The branches that the program of a stack registers, as the SDK's class `Branch` does. */
export function declareBranches(
  stack: Stack,
  { branches }: Ground,
  { timeoutSeconds }: Scenario,
  slots: readonly number[],
): DeclaredResource[] {
  return slots.flatMap((slot) => {
    const plan = branches.declared(slot);
    if (!plan) return [];
    const inputs = unwrapSecrets(branches.arguments(slot, plan));
    return [{ urn: stack.urnOf(branchName(slot), 'Branch'), inputs, deletesFirst: true, timeoutSeconds }];
  });
}

/** The values without the marks of SlotTexts, and the names of the inputs that have one. */
export function unwrapSecrets(inputs: Properties): ReadProperties {
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
