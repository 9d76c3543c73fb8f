import { isEqual, isMatch, sortBy } from 'lodash';
import type { Program } from '../engine/agreement/agreement-scenario';
import type { DeclaredResource, ResourceType, StoredResource } from '../engine/stack';
import type { UserWorld } from './user-world';

/** The attributes of the service, by the argument that declares them. */
const attributes: Readonly<Record<ResourceType, Readonly<Record<string, string>>>> = {
  Branch: { projectId: 'project_id', name: 'name', parentId: 'parent_id', protected: 'protected' },
  ComputeEndpoint: {
    projectId: 'project_id',
    branchId: 'branch_id',
    type: 'type',
    name: 'name',
    suspendTimeoutSeconds: 'suspend_timeout_seconds',
    autoscalingLimitMaxCu: 'autoscaling_limit_max_cu',
  },
  Role: { branchId: 'branch_id', name: 'name' },
  Database: { branchId: 'branch_id', name: 'name', ownerName: 'owner_name' },
};

function typeOf(urn: string): ResourceType {
  return /:(\w+)::\w+$/.exec(urn)?.[1] as ResourceType; // Every URN of the simulation has one.
}

/** What the service has of a resource in state. */
function findHeld(world: UserWorld, { urn, id, outputs: { values } }: StoredResource): object | undefined {
  const { branches, endpoints, roles, databases } = world.held();
  const named = { branch_id: values.branchId, name: values.name };
  if (typeOf(urn) === 'Role') return roles.find((role) => isMatch(role, named));
  if (typeOf(urn) === 'Database')
    return databases.find((database) => isMatch(database, { ...named, id: values.__number }));
  return [...branches, ...endpoints].find((each) => each.id === id);
}

/** Whether program, state and service agree. */
export function agreesWith(world: UserWorld, program: Program): boolean {
  return findDisagreements(world, program).length === 0;
}

export function checkAgreement(world: UserWorld, program: Program): void {
  const found = findDisagreements(world, program);
  world.book.check('one for each resource', found.length === 0, () => found.join('; '));
}

/** A password is known only to the state and to the service. */
export function checkPasswords(world: UserWorld): void {
  for (const stored of world.stack.state.resources) {
    const { password } = stored.outputs.values;
    const isKnown = typeOf(stored.urn) !== 'Role' || isMatch(findHeld(world, stored) ?? {}, { password });
    world.book.check(
      'one for each resource',
      isKnown,
      () => `the state has another password of ${stored.urn}`,
    );
  }
}

function findDisagreements(world: UserWorld, program: Program): string[] {
  const declared = world.declare(program);
  const { resources } = world.stack.state;
  const { branches, endpoints } = world.held();
  // Nothing looks for it once the program no longer names its project (docs/limits.md).
  const isForgotten = ({ id, project_id }: { id: string; project_id: string }) =>
    world.unheard.has(id) && resources.every(({ inputs }) => inputs.values.projectId !== project_id);
  const own = [...branches, ...endpoints]
    .filter((each) => world.created.has(each.id) && !world.released.has(each.id) && !isForgotten(each))
    .map(({ id }) => id);
  const ids = resources.map(({ id, outputs }) => outputs.values.__number ?? id);
  const gone = resources.filter((each) => !findHeld(world, each));
  const isComplete = isEqual(sortBy(declared.map(({ urn }) => urn)), sortBy(resources.map(({ urn }) => urn)));
  return [
    ...(isComplete
      ? []
      : [
          `the state has ${resources.map(({ urn }) => urn)}, the program declares ${declared.map(({ urn }) => urn)}`,
        ]),
    ...own
      .filter((id) => !resources.some((each) => each.id === id))
      .map((id) => `no state has ${id}, which a run has created`),
    ...gone.map(({ urn, id }) => `the service no longer has ${id} of ${urn}`),
    ...(new Set(ids).size < ids.length ? [`two resources have one id: ${ids}`] : []),
    ...declared.flatMap((resource) => findDifference(world, resource) ?? []),
  ];
}

/** How the service differs from what the program declares. */
function findDifference(
  world: UserWorld,
  { urn, inputs, references = {} }: DeclaredResource,
): string | undefined {
  const stored = world.stack.find(urn);
  const held = stored && findHeld(world, stored);
  if (!held) return undefined;
  const expected: Record<string, unknown> = {};
  for (const [argument, attribute] of Object.entries(attributes[typeOf(urn)])) {
    const reference = references[argument];
    const isId = reference?.output === 'id';
    const value = isId ? world.stack.find(reference.urn)?.id : inputs.values[argument];
    if (value !== undefined) expected[attribute] = value;
  }
  // One that keeps the previous data makes that the parent.
  if ('last_reset_at' in held) delete expected.parent_id;
  return isMatch(held, expected)
    ? undefined
    : `${urn} differs from its declaration: ${JSON.stringify(held)}, declared ${JSON.stringify(expected)}`;
}
