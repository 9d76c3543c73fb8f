import { mapValues } from 'lodash';
import type { Properties } from '../../../provider/src/lifecycle/resource-identity';
import type { ReadProperties } from '../../../provider/src/plugin/properties';
import type { DeclaredResource, Reference, Stack } from '../engine/stack';
import { branchName, slotArguments, slotName } from './declared-slot';
import type { World } from './world';

/** A resource as a program declares it. */
export interface Declaration extends Omit<DeclaredResource, 'inputs'> {
  /** With a mark around each secret. */
  readonly args: Properties;
}

/** What the program of a stack declares: branches first. */
export function declareStack(world: World, stack: Stack): Declaration[] {
  return [...declareBranches(world, stack), ...declareEndpoints(world, stack)];
}

function declareEndpoints(world: World, stack: Stack): Declaration[] {
  const { ground, scenario } = world;
  const { timeoutSeconds } = scenario;
  const dependedOn = world.dependedOn(stack);
  return world.declared(stack).map(({ slot, plan }) => ({
    urn: stack.urnOf(slotName(slot)),
    args: {
      ...slotArguments(ground, slot, plan),
      ...(isDependent(stack.urnOf(slotName(slot)), dependedOn) && dependentArgument),
      ...(ground.isGuarded && { allowRestart: false }),
    },
    deletesFirst: !plan.createsBeforeDelete,
    timeoutSeconds,
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

function declareBranches(world: World, stack: Stack): Declaration[] {
  const { branches } = world.ground;
  const { timeoutSeconds } = world.scenario;
  return world.slotsOf(stack).flatMap((slot) => {
    const plan = branches.declared(slot);
    if (!plan) return [];
    const args = branches.arguments(slot, plan);
    return [{ urn: stack.urnOf(branchName(slot), 'Branch'), args, deletesFirst: true, timeoutSeconds }];
  });
}

/** What the SDK's classes `ComputeEndpoint` and `Branch` register. */
export function toDeclared({ args, ...resource }: Declaration): DeclaredResource {
  const hidden = !resource.deletesFirst && { __createsBeforeDelete: true };
  return { ...resource, inputs: unwrapSecrets({ ...args, ...hidden }) };
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
