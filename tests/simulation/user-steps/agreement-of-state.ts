import { isEqual, isMatch, sortBy } from 'lodash';
import type { Program } from '../engine/agreement/agreement-scenario';
import { type DeclaredResource, isBranchUrn } from '../engine/stack';
import type { UserWorld } from './user-world';

/** The attributes of the service, by the argument that declares them. */
const branchAttributes = {
  projectId: 'project_id',
  name: 'name',
  parentId: 'parent_id',
  protected: 'protected',
} as const;
const endpointAttributes = {
  projectId: 'project_id',
  branchId: 'branch_id',
  type: 'type',
  name: 'name',
  suspendTimeoutSeconds: 'suspend_timeout_seconds',
  autoscalingLimitMaxCu: 'autoscaling_limit_max_cu',
} as const;

/** Whether program, state and service agree. */
export function agreesWith(world: UserWorld, program: Program): boolean {
  return findDisagreements(world, program).length === 0;
}

export function checkAgreement(world: UserWorld, program: Program): void {
  const found = findDisagreements(world, program);
  world.book.check('one for each resource', found.length === 0, () => found.join('; '));
}

function findDisagreements(world: UserWorld, program: Program): string[] {
  const declared = world.declare(program);
  const { resources } = world.stack.state;
  const { branches, endpoints } = world.held();
  const held = [...branches, ...endpoints].map(({ id }) => id);
  const own = held.filter((id) => world.created.has(id) && !world.released.has(id));
  const inState = resources.map(({ id }) => id);
  return [
    ...(isEqual(sortBy(declared.map(({ urn }) => urn)), sortBy(resources.map(({ urn }) => urn)))
      ? []
      : [
          `the state has ${resources.map(({ urn }) => urn)}, the program declares ${declared.map(({ urn }) => urn)}`,
        ]),
    ...own.filter((id) => !inState.includes(id)).map((id) => `no state has ${id}, which a run has created`),
    ...inState.filter((id) => !held.includes(id)).map((id) => `the service no longer has ${id}`),
    ...(new Set(inState).size < inState.length ? [`two resources have one id: ${inState}`] : []),
    ...declared.flatMap((resource) => findDifference(world, resource) ?? []),
  ];
}

/** How the service differs from what the program declares. */
function findDifference(
  world: UserWorld,
  { urn, inputs, references = {} }: DeclaredResource,
): string | undefined {
  const stored = world.stack.find(urn);
  const { branches, endpoints } = world.held();
  const held = [...branches, ...endpoints].find(({ id }) => id === stored?.id);
  if (!held) return undefined;
  const attributes = isBranchUrn(urn) ? branchAttributes : endpointAttributes;
  const expected: Record<string, unknown> = {};
  for (const [argument, attribute] of Object.entries(attributes)) {
    const reference = references[argument];
    const value = reference ? world.stack.find(reference.urn)?.id : inputs.values[argument];
    if (value !== undefined) expected[attribute] = value;
  }
  return isMatch(held, expected)
    ? undefined
    : `${urn} differs from its declaration: ${JSON.stringify(held)}, declared ${JSON.stringify(expected)}`;
}
