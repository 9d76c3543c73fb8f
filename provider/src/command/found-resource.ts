import { declareBranch, toOutputs as toBranchOutputs } from '../branch/branch-state';
import { branchType } from '../branch/branch-type';
import type { Branch, Endpoint } from '../control-api/wire-types';
import {
  type DynamicType,
  dynamicBranch,
  dynamicDatabase,
  dynamicEndpoint,
  dynamicRole,
} from '../dynamic/provider-text';
import {
  type StoredInputs,
  type StoredOutputs,
  writeInputs,
  writeOutputs,
} from '../dynamic/stored-properties';
import type { EndpointInputs } from '../endpoint/endpoint-inputs';
import { toOutputs as toEndpointOutputs } from '../endpoint/endpoint-state';
import { endpointType } from '../endpoint/endpoint-type';
import type { Properties } from '../lifecycle/resource-identity';
import type { ResourceType } from '../lifecycle/resource-type';
import { databaseType } from '../named/database-type';
import { toFoundNamed } from '../named/named-state';
import { roleType } from '../named/role-type';
import type { Kind, NamedItem } from '../operations/service-project';

/** What the service has, as the state would hold it if a program with this declaration had created it. */
export interface FoundResource {
  readonly kind: Kind;
  /** The id in state. */
  readonly id: string;
  /** The name of the Pulumi resource. */
  readonly name: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
}

export const kinds: Readonly<
  Record<Kind, { readonly className: string; readonly type: ResourceType; readonly dynamic: DynamicType }>
> = {
  branch: { className: 'Branch', type: branchType, dynamic: dynamicBranch },
  endpoint: { className: 'ComputeEndpoint', type: endpointType, dynamic: dynamicEndpoint },
  role: { className: 'Role', type: roleType.type, dynamic: dynamicRole },
  database: { className: 'Database', type: databaseType.type, dynamic: dynamicDatabase },
};

export function foundBranch(branch: Branch, name: string): FoundResource {
  const inputs = declareBranch(branch);
  return { kind: 'branch', id: branch.id, name, inputs, outputs: toBranchOutputs(branch, inputs) };
}

export function foundEndpoint(endpoint: Endpoint, name: string, inputs: EndpointInputs): FoundResource {
  return {
    kind: 'endpoint',
    id: endpoint.id,
    name,
    inputs: { ...inputs },
    outputs: toEndpointOutputs(endpoint, inputs),
  };
}

/** Without the password of a role, which a refresh reads: the file is no place for it. */
export function foundNamed(kind: 'role' | 'database', item: NamedItem, name: string): FoundResource {
  const found = kind === 'role' ? toFoundNamed(roleType, item) : toFoundNamed(databaseType, item);
  return { kind, id: item.id, name, ...found };
}

/** A resource in the file for `pulumi import --file`, for the dynamic provider. */
export interface ImportedResource {
  readonly type: string;
  readonly name: string;
  readonly id: string;
  readonly inputs: StoredInputs;
  /** Given these, the engine stores the state as it is, without a read. */
  readonly outputs: StoredOutputs;
}

export function toImportedResource({ kind, id, name, ...found }: FoundResource): ImportedResource {
  const { type, dynamic } = kinds[kind];
  // Only the stack that imports it knows the URN. The next `pulumi up` adds it.
  const declaration = { resource: {}, inputs: found.inputs };
  const passed = { __provider: dynamic.providerText };
  const inputs = writeInputs(type, declaration, passed);
  const outputs = writeOutputs(type, declaration, found.outputs, passed);
  return { type: dynamic.token, name, id, inputs, outputs };
}

/** The same for the plugin, which reads it. */
export function toPluginImport({ kind, id, name, inputs }: FoundResource) {
  const { className, type } = kinds[kind];
  const path = type.idIsPath ? id : `${inputs.projectId}/${id}`;
  return { type: `postgres-compute:index:${className}`, name, id: path };
}
