import * as z from 'zod';
import { toNamedId } from '../control-api/named-api';
import type { Kind } from '../operations/service-project';
import { usageError } from './exit-codes';

/** A resource that another tool manages, and this provider has. */
export interface ManagedResource {
  readonly kind: Kind;
  /** The one that the state of this provider would have. */
  readonly id: string;
  readonly projectId: string;
  /** What the other tool calls it: an address of Terraform or a URN of Pulumi. */
  readonly address: string;
}

export interface StateFile {
  readonly tool: 'Terraform' | 'Pulumi';
  readonly resources: readonly ManagedResource[];
  /** The types of the service's other resources, which this provider does not have. */
  readonly otherTypes: readonly string[];
}

const terraformResource = z.object({
  address: z.string(),
  mode: z.string(),
  type: z.string(),
  values: z.record(z.string(), z.unknown()).default({}),
  /** Set if a replacement has still to delete the object. */
  deposed_key: z.string().default(''),
});
/** Its child modules are parsed in a loop: a state can nest them more deeply than the stack allows. */
const terraformModule = z.object({
  resources: z.array(terraformResource).default([]),
  child_modules: z.array(z.unknown()).default([]),
});
/** `terraform show -json`; OpenTofu writes the same. */
const terraformState = z.object({ values: z.object({ root_module: terraformModule }) });

const pulumiResource = z.object({
  urn: z.string(),
  type: z.string(),
  id: z.string().default(''),
  outputs: z.record(z.string(), z.unknown()).default({}),
  /** Whether a replacement has still to delete the resource. */
  delete: z.boolean().default(false),
  /** Whether the program only reads the resource. */
  external: z.boolean().default(false),
});
/** `pulumi stack export`. */
const pulumiState = z.object({ deployment: z.object({ resources: z.array(pulumiResource).default([]) }) });

/** The provider terraform-community-providers/neon keeps the read_write endpoint of a branch inside the branch. */
const withEndpoint = z.object({ endpoint: z.object({ id: z.string().min(1) }) });

const terraformKinds: ReadonlyMap<string, ManagedResource['kind']> = new Map([
  ['neon_endpoint', 'endpoint'],
  ['neon_branch', 'branch'],
  ['neon_role', 'role'],
  ['neon_database', 'database'],
]);
/** The names that Pulumi's bridge gives them. */
const pulumiKinds: ReadonlyMap<string, ManagedResource['kind']> = new Map([
  ['neon:index/endpoint:Endpoint', 'endpoint'],
  ['neon:index/branch:Branch', 'branch'],
  ['neon:index/role:Role', 'role'],
  ['neon:index/database:Database', 'database'],
]);
const text = z.string().min(1);
/** What the id consists of. That of a role or a database differs from tool to tool. */
const place = z.object({ id: text, projectId: text });
const namedPlace = z.object({ projectId: text, branchId: text, name: text });

/** @throws CommandFailure when the text is not a state file, or a resource in it lacks its ids */
export function readStateFile(text: string): StateFile {
  const json = parseJson(text);
  const terraform = terraformState.safeParse(json);
  if (terraform.success) {
    const all = listModules(terraform.data.values.root_module)
      .flatMap(({ resources }) => resources)
      .filter(({ mode, deposed_key }) => mode === 'managed' && deposed_key === '');
    return {
      tool: 'Terraform',
      resources: all.flatMap(({ type, address, values }) =>
        toManaged(terraformKinds.get(type), address, {
          ...values,
          projectId: values.project_id,
          branchId: values.branch_id,
        }),
      ),
      otherTypes: otherTypes(all, 'neon_', terraformKinds),
    };
  }
  const pulumi = pulumiState.safeParse(json);
  if (pulumi.success) {
    const all = pulumi.data.deployment.resources.filter((resource) => !resource.delete && !resource.external);
    return {
      tool: 'Pulumi',
      resources: all.flatMap(({ type, urn, id, outputs }) =>
        toManaged(pulumiKinds.get(type), urn, { ...outputs, id }),
      ),
      otherTypes: otherTypes(all, 'neon:', pulumiKinds),
    };
  }
  throw notAState();
}

function notAState() {
  return usageError('The file is neither the output of `terraform show -json` nor of `pulumi stack export`.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The error quotes the file, which can have a secret there.
    throw usageError('The file is not JSON in UTF-8.');
  }
}

type TerraformModule = z.infer<typeof terraformModule>;

function listModules(root: TerraformModule): TerraformModule[] {
  const modules = [root];
  for (const { child_modules } of modules)
    for (const child of child_modules) {
      const { success, data } = terraformModule.safeParse(child);
      if (!success) throw notAState();
      modules.push(data);
    }
  return modules;
}

function toManaged(kind: Kind | undefined, address: string, values: object): ManagedResource[] {
  if (kind === undefined) return [];
  const named = kind === 'role' || kind === 'database' ? namedPlace.safeParse(values).data : undefined;
  const found = named ? { ...named, id: toNamedId(named) } : place.safeParse(values).data;
  if (!found) throw usageError(`The file has no id or no project of ${address} in plain text.`);
  const { id, projectId } = found;
  const { data } = withEndpoint.safeParse(values);
  const inside: ManagedResource[] = data
    ? [{ kind: 'endpoint', id: data.endpoint.id, projectId, address }]
    : [];
  return [{ kind, id, projectId, address }, ...inside];
}

function otherTypes(
  all: readonly { readonly type: string }[],
  prefix: string,
  known: ReadonlyMap<string, unknown>,
): string[] {
  const types = all.map(({ type }) => type).filter((type) => type.startsWith(prefix) && !known.has(type));
  return [...new Set(types)];
}
