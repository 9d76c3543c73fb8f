import { camelCase, upperFirst } from 'lodash';
import type { Branch, Endpoint } from '../control-api/wire-types';
import { CommandFailure, exitCodes } from './exit-codes';
import { type DeclaredEndpoint, toTypeScript, writeEndpoint, writeResource } from './program-text';
import { findFree } from './resource-names';

export interface Named<Resource> {
  /** The name of the Pulumi resource. */
  readonly name: string;
  readonly resource: Resource;
}

export type MovedEndpoint = Named<Endpoint> & DeclaredEndpoint;

/** A complete TypeScript program that declares branches and endpoints for the plugin. */
export function writeMovedProgram(
  branches: readonly Named<Branch>[],
  endpoints: readonly MovedEndpoint[],
): string {
  const variables = nameVariables(branches);
  /** Through the variable, an endpoint is deleted before its branch. */
  const refer = (branchId: string) => {
    const variable = variables.get(branchId);
    return variable === undefined ? toTypeScript(branchId) : `${variable}.id`;
  };
  const used = new Set([
    ...endpoints.map(({ resource }) => resource.branch_id),
    ...branches.map(({ resource }) => resource.parent_id ?? ''),
  ]);
  const classes = [branches.length > 0 && 'Branch', endpoints.length > 0 && 'ComputeEndpoint'].filter(
    Boolean,
  );
  return [
    `import { ${classes.join(', ')} } from 'pulumi-postgres-compute/plugin';`,
    ...[...parentsFirst(branches)].map(({ name, resource }) => {
      const variable = used.has(resource.id) ? `const ${variables.get(resource.id)} = ` : '';
      return `${variable}${writeResource('Branch', name, declareBranch(resource, refer))}`;
    }),
    ...endpoints.map((endpoint) => writeEndpoint(endpoint, { branchId: refer(endpoint.resource.branch_id) })),
  ].join('\n\n');
}

function declareBranch(
  { project_id, name, parent_id, init_source, protected: isProtected }: Branch,
  refer: (id: string) => string,
): [string, string][] {
  return [
    ['projectId', toTypeScript(project_id)],
    ['name', toTypeScript(name)],
    ...(parent_id ? [['parentId', refer(parent_id)] as [string, string]] : []),
    ...(init_source === 'schema-only' ? [['initSource', toTypeScript(init_source)] as [string, string]] : []),
    ...(isProtected ? [['protected', 'true'] as [string, string]] : []),
  ];
}

function toVariable(name: string): string {
  return `branch${upperFirst(camelCase(name))}`;
}

/** By branch id. Names that differ can have the same words, such as `a-b` and `a_b`. */
function nameVariables(branches: readonly Named<Branch>[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    branches.map(({ name, resource }) => {
      const variable = toVariable(findFree(name, (proposal) => taken.has(toVariable(proposal))));
      taken.add(variable);
      return [resource.id, variable];
    }),
  );
}

/** A variable is declared before it is used. */
function parentsFirst(branches: readonly Named<Branch>[]): Iterable<Named<Branch>> {
  const byId = new Map(branches.map((branch) => [branch.resource.id, branch]));
  const ordered = new Set<Named<Branch>>();
  for (const branch of branches) {
    const lineage = new Set<Named<Branch>>();
    let next: Named<Branch> | undefined = branch;
    while (next !== undefined && !ordered.has(next)) {
      const { id, parent_id } = next.resource;
      if (lineage.has(next))
        throw new CommandFailure(
          exitCodes.unexpected,
          `The service reports branch ${id} as its own ancestor.`,
        );
      lineage.add(next);
      next = byId.get(parent_id ?? '');
    }
    for (const one of [...lineage].toReversed()) ordered.add(one);
  }
  return ordered;
}
