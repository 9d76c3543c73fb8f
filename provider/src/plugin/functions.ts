import { isNil, omitBy } from 'lodash';
import * as z from 'zod';
import type { ControlApi } from '../control-api/control-api';
import type { InputFailure } from '../lifecycle/input-values';
import type { ProviderCore } from '../lifecycle/provider-core';
import type { Properties } from '../lifecycle/resource-identity';
import { readBranch, readBranches } from '../lookups/live-branch';
import { readConnectionUri } from '../lookups/live-connection-uri';
import { readEndpoints, toEndpointState } from '../lookups/live-endpoint';
import { readProject, readProjects } from '../lookups/live-project';
import { readOperations, toOperationState } from '../lookups/operation-state';
import type { WrittenProperties } from './properties';

type FunctionResult = WrittenProperties | { readonly failures: readonly InputFailure[] };

const text = z.string('must be text').min(1, 'must not be empty');
const limit = z.int('must be 1 to 1000').min(1, 'must be 1 to 1000').max(1_000, 'must be 1 to 1000');
const project = { projectId: text };
const orgId = text.optional();

const argumentsOf = {
  getProject: z.strictObject({ projectId: text.optional(), name: text.optional(), orgId }),
  getProjects: z.strictObject({ orgId }),
  getBranch: z.strictObject({ ...project, branchId: text.optional(), name: text.optional() }),
  getBranches: z.strictObject(project),
  getConnectionUri: z.strictObject({
    ...project,
    branchId: text.optional(),
    endpointId: text.optional(),
    databaseName: text,
    roleName: text,
    pooled: z.boolean('must be true or false').optional(),
  }),
  getComputeEndpoint: z.strictObject({ ...project, endpointId: text }),
  getComputeEndpoints: z.strictObject({ ...project, branchId: text.optional() }),
  getOperation: z.strictObject({ ...project, operationId: text }),
  getOperations: z.strictObject({ ...project, limit: limit.optional() }),
};

type FunctionName = keyof typeof argumentsOf;
type Lookups = {
  [Name in FunctionName]: (api: ControlApi, args: z.infer<(typeof argumentsOf)[Name]>) => Promise<object>;
};

const lookups: Lookups = {
  getProject: readProject,
  getProjects: async (api, of) => ({ projects: await readProjects(api, of) }),
  getBranch: readBranch,
  getBranches: async (api, of) => ({ branches: await readBranches(api, of) }),
  getConnectionUri: readConnectionUri,
  getComputeEndpoint: async (api, { projectId, endpointId }) =>
    toEndpointState(await api.getEndpoint(projectId, endpointId)),
  getComputeEndpoints: async (api, of) => ({ endpoints: await readEndpoints(api, of) }),
  getOperation: async (api, { projectId, operationId }) =>
    toOperationState(await api.getOperation(projectId, operationId), api.redact),
  getOperations: async (api, of) => ({ operations: await readOperations(api, of) }),
};

/** The results that are secret. */
const secretResults: Partial<Record<FunctionName, readonly string[]>> = { getConnectionUri: ['uri'] };

/**
 * Calls a function of the package: a lookup of what the service has now.
 * @param token such as `postgres-compute:index:getComputeEndpoint`
 */
export async function callFunction(
  token: string,
  given: Properties,
  core: ProviderCore,
): Promise<FunctionResult> {
  const name = token.slice(token.lastIndexOf(':') + 1);
  if (!isFunction(name)) throw new Error(`${token} is not a function of this package.`);
  return call(name, given, core);
}

function isFunction(name: string): name is FunctionName {
  return Object.hasOwn(argumentsOf, name);
}

async function call<Name extends FunctionName>(
  name: Name,
  given: Properties,
  core: ProviderCore,
): Promise<FunctionResult> {
  const args = argumentsOf[name].safeParse(omitBy(given, isNil));
  if (!args.success) {
    const failures = args.error.issues.map(({ path, message }) => ({
      property: path.join('.'),
      reason: message,
    }));
    return { failures };
  }
  // The two tables pair each name with its arguments, which a look-up by name can't show.
  const lookUp = lookups[name] as (api: ControlApi, checked: unknown) => Promise<object>;
  const values = await core.presentably([], async () => lookUp(core.projects.api, args.data));
  return { values, secretNames: secretResults[name] };
}
