import { ACCOUNT_ID } from '../../emulator/src/records/wire-types';
import { readOfficialDescription } from '../support/official-description';
import { listServedCalls } from '../support/served-calls';
import { type FuzzWorld, SPARE } from './fuzz-world';

interface Description {
  readonly paths: Record<string, Record<string, object>>;
  readonly components: {
    readonly schemas: Record<string, { properties: Record<string, { properties: Record<string, object> }> }>;
  };
}

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly schema?: object;
}

type Ids = Record<string, readonly string[]>;

/** An id of no object. */
const UNKNOWN_ID = 'none-at-all-1';
const UNKNOWN_OPERATION_ID = '00000000-0000-4000-8000-000000000000';

/** The calls that the emulator serves, by path. */
export const SERVED_CALLS = listServedCalls();
// Without Postgres, it is always a 501.
SERVED_CALLS.delete('/projects/{project_id}/branches/{branch_id}/schema');

/** The official description, reduced to the served calls, with the existing ids. */
export function describeServedCalls(world: FuzzWorld): object {
  const description = readOfficialDescription<Description>();
  const paths: Record<string, object> = {};
  for (const [path, methods] of SERVED_CALLS) {
    const described = description.paths[path];
    if (described === undefined) throw new Error(`${path} is no longer in the official description`);
    paths[path] = Object.fromEntries(
      methods.map((method) => [method, describeCall(path, described, method, world)]),
    );
  }
  nameRecords(description, world);
  return { ...description, paths };
}

function describeCall(
  path: string,
  described: Record<string, object>,
  method: string,
  world: FuzzWorld,
): object {
  const call: { parameters?: Parameter[] } = described[method] ?? {};
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const ids = idsFor(path, method, world);
  const isConnection = path.endsWith('/connection_uri');
  return {
    ...call,
    parameters: [
      ...(call.parameters ?? [])
        .filter((parameter) => parameter.in !== 'path')
        .map((parameter) => (isConnection ? nameExisting(parameter, ids) : parameter)),
      ...names.map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: schemaOf(name, ids),
      })),
    ],
  };
}

/** Any name can be that of a role or a database, so an unknown one is valid. */
function schemaOf(name: string, ids: Ids): object {
  const known = { type: 'string', enum: ids[name] };
  return name.endsWith('_name') ? { anyOf: [known, { type: 'string' }] } : known;
}

function nameExisting(parameter: Parameter, ids: Ids): Parameter {
  const existing = ids[parameter.name ?? ''];
  return existing === undefined ? parameter : { ...parameter, schema: { type: 'string', enum: existing } };
}

function idsFor(path: string, method: string, world: FuzzWorld): Ids {
  const isDeletion = method === 'delete';
  const isNamed = /\/(roles|databases)/.test(path);
  const { disposable } = world;
  return {
    project_id: [
      ...(isDeletion && path === '/projects/{project_id}' ? disposable.projectIds : [world.projectId]),
      UNKNOWN_ID,
    ],
    branch_id: [...(isDeletion && !isNamed ? disposable.branchIds : world.branchIds), UNKNOWN_ID],
    endpoint_id: [...(isDeletion ? disposable.endpointIds : world.endpointIds), UNKNOWN_ID],
    role_name: [isDeletion ? SPARE : 'app_owner', UNKNOWN_ID],
    database_name: [isDeletion ? SPARE : 'app', UNKNOWN_ID],
    org_id: [ACCOUNT_ID, UNKNOWN_ID],
    operation_id: [...world.operationIds, UNKNOWN_OPERATION_ID],
  };
}

/** Sets the branches of new and moved endpoints, the source of a restore, and the owners of databases. No database gets another name. */
function nameRecords({ components }: Description, { emptyBranchIds }: FuzzWorld): void {
  const attributesAt = (schema: string, section?: string): Record<string, object> => {
    const { properties } = components.schemas[schema] ?? {};
    const attributes = section === undefined ? properties : properties?.[section]?.properties;
    if (attributes === undefined) throw new Error(`${schema} no longer has ${section ?? 'attributes'}`);
    return attributes;
  };
  const name = (attributes: Record<string, object>, attribute: string, existing: readonly string[]): void => {
    if (attributes[attribute] === undefined) throw new Error(`${attribute} is no longer described`);
    attributes[attribute] = { type: 'string', enum: [...existing, UNKNOWN_ID] };
  };
  for (const schema of ['EndpointCreateRequest', 'EndpointUpdateRequest'])
    name(attributesAt(schema, 'endpoint'), 'branch_id', emptyBranchIds);
  name(attributesAt('BranchRestoreRequest'), 'source_branch_id', emptyBranchIds);
  for (const schema of ['DatabaseCreateRequest', 'DatabaseUpdateRequest'])
    name(attributesAt(schema, 'database'), 'owner_name', ['app_owner']);
  delete attributesAt('DatabaseUpdateRequest', 'database').name;
  // The emulator refuses these (501).
  delete attributesAt('BranchCreateRequest', 'branch').archived;
  delete attributesAt('AnnotationCreateValueRequest').annotation_value;
  delete attributesAt('ProjectCreateRequest', 'project').settings;
  delete attributesAt('ProjectUpdateRequest', 'project').settings;
  // The names of the first branch stay; so only its annotations are left out.
  const { branch } = attributesAt('ProjectCreateRequest', 'project') as { branch?: { properties: object } };
  if (branch !== undefined) Reflect.deleteProperty(branch.properties, 'annotations');
}
