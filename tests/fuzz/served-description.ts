import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { FuzzWorld } from './fuzz-world';

interface Description {
  readonly paths: Record<string, Record<string, object>>;
  readonly components: {
    readonly schemas: Record<string, { properties: Record<string, { properties: Record<string, object> }> }>;
  };
}

type Ids = Record<string, readonly string[]>;

/** An id of no object. */
const UNKNOWN_ID = 'none-at-all-1';
const UNKNOWN_OPERATION_ID = '00000000-0000-4000-8000-000000000000';

/** The calls that the emulator serves, by path. */
export const SERVED_CALLS: Readonly<Record<string, readonly string[]>> = {
  '/projects': ['get', 'post'],
  '/projects/shared': ['get'],
  '/projects/{project_id}': ['get', 'delete'],
  '/projects/{project_id}/branches': ['get', 'post'],
  '/projects/{project_id}/branches/{branch_id}': ['get', 'delete'],
  '/projects/{project_id}/branches/{branch_id}/endpoints': ['get'],
  '/projects/{project_id}/endpoints': ['get', 'post'],
  '/projects/{project_id}/endpoints/{endpoint_id}': ['get', 'patch', 'delete'],
  '/projects/{project_id}/endpoints/{endpoint_id}/start': ['post'],
  '/projects/{project_id}/endpoints/{endpoint_id}/suspend': ['post'],
  '/projects/{project_id}/endpoints/{endpoint_id}/restart': ['post'],
  '/projects/{project_id}/operations': ['get'],
  '/projects/{project_id}/operations/{operation_id}': ['get'],
};

/** The official description, reduced to the served calls, with the existing ids. */
export function describeServedCalls(world: FuzzWorld): object {
  const file = require
    .resolve('@neondatabase/api-client/package.json')
    .replace('package.json', 'public-v2-for-users.gen.yaml');
  // The package's own file. The type has the parts that are used.
  const description = load(readFileSync(file, 'utf8')) as Description;
  const paths: Record<string, object> = {};
  for (const [path, methods] of Object.entries(SERVED_CALLS)) {
    const described = description.paths[path];
    if (described === undefined) throw new Error(`${path} is no longer in the official description`);
    paths[path] = Object.fromEntries(
      methods.map((method) => [method, describeCall(path, described, method, world)]),
    );
  }
  nameBranches(description, world);
  return { ...description, paths };
}

function describeCall(
  path: string,
  described: Record<string, object>,
  method: string,
  world: FuzzWorld,
): object {
  const call: { parameters?: { in?: string }[] } = described[method] ?? {};
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const ids = idsFor(path, method, world);
  return {
    ...call,
    parameters: [
      ...(call.parameters ?? []).filter((parameter) => parameter.in !== 'path'),
      ...names.map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string', enum: ids[name] },
      })),
    ],
  };
}

function idsFor(path: string, method: string, world: FuzzWorld): Ids {
  const isDeletion = method === 'delete';
  const { disposable } = world;
  return {
    project_id: [
      ...(isDeletion && path === '/projects/{project_id}' ? disposable.projectIds : [world.projectId]),
      UNKNOWN_ID,
    ],
    branch_id: [...(isDeletion ? disposable.branchIds : world.branchIds), UNKNOWN_ID],
    endpoint_id: [...(isDeletion ? disposable.endpointIds : world.endpointIds), UNKNOWN_ID],
    operation_id: [...world.operationIds, UNKNOWN_OPERATION_ID],
  };
}

/** Sets the branches of new and moved endpoints. */
function nameBranches({ components }: Description, { emptyBranchIds }: FuzzWorld): void {
  for (const schema of ['EndpointCreateRequest', 'EndpointUpdateRequest']) {
    const attributes = components.schemas[schema]?.properties.endpoint?.properties;
    if (attributes?.branch_id === undefined) throw new Error(`${schema} no longer has endpoint.branch_id`);
    attributes.branch_id = { type: 'string', enum: [...emptyBranchIds, UNKNOWN_ID] };
  }
}
