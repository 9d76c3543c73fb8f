import { camelCase, groupBy, upperFirst } from 'lodash';
import { toNamedId } from '../control-api/named-api';
import { CommandFailure, exitCodes } from './exit-codes';
import { type FoundResource, kinds } from './found-resource';
import { toTypeScript, writeResource } from './program-text';
import { findFree } from './resource-names';

/** Each type comes after those that it refers to. */
export const order = ['branch', 'endpoint', 'role', 'database'] as const;

/**
 * A complete TypeScript program that declares the resources.
 * @param options.module what it imports the classes from
 * @param options.projectId the one project of all of them, for a constant. @default each names its own
 */
export function writeProgram(
  found: readonly FoundResource[],
  { module, projectId }: { readonly module: string; readonly projectId?: string },
): string {
  const byKind = groupBy(found, 'kind');
  const all = order.flatMap((kind) => [...parentsFirst(byKind[kind] ?? [])]);
  const variables = nameVariables(all);
  const used = new Set<string>();
  /** Through the variable, a resource is deleted before what it refers to. */
  const refer = (id: string, output: string) => {
    const variable = variables.get(id);
    if (variable !== undefined) used.add(id);
    return variable && `${variable}.${output}`;
  };
  const write = ({ inputs }: FoundResource, argument: string): string => {
    const value = inputs[argument];
    const { branchId } = inputs;
    const owner = { projectId: String(inputs.projectId), branchId: String(branchId), name: String(value) };
    const texts: Record<string, () => string | undefined> = {
      projectId: () => (projectId === undefined ? undefined : 'projectId'),
      branchId: () => refer(String(value), 'id'),
      parentId: () => refer(String(value), 'id'),
      ownerName: () => refer(toNamedId(owner), 'name'),
    };
    return texts[argument]?.() ?? toTypeScript(value);
  };
  const texts = all.map((resource) => {
    const { className, type } = kinds[resource.kind];
    const given = type.argumentNames.filter((argument) => resource.inputs[argument] !== undefined);
    const values = given.map((argument): [string, string] => [argument, write(resource, argument)]);
    return { id: resource.id, text: writeResource(className, resource.name, values) };
  });
  const classes = new Set(all.map(({ kind }) => kinds[kind].className));
  return [
    `import { ${[...classes].sort().join(', ')} } from '${module}';`,
    ...(projectId === undefined ? [] : [`const projectId = ${toTypeScript(projectId)};`]),
    ...texts.map(({ id, text }) => (used.has(id) ? `const ${variables.get(id)} = ${text}` : text)),
  ].join('\n\n');
}

/** By id. Names that differ can have the same words, such as `a-b` and `a_b`. */
function nameVariables(all: readonly FoundResource[]): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  return new Map(
    all.map(({ kind, id, name }) => {
      const toVariable = (proposal: string) => `${kind}${upperFirst(camelCase(proposal))}`;
      const variable = toVariable(findFree(name, (proposal) => taken.has(toVariable(proposal))));
      taken.add(variable);
      return [id, variable];
    }),
  );
}

/** A variable is declared before it is used. Only branches have parents. */
function parentsFirst(branches: readonly FoundResource[]): Iterable<FoundResource> {
  const byId = new Map(branches.map((branch) => [branch.id, branch]));
  const ordered = new Set<FoundResource>();
  for (const branch of branches) {
    const lineage = new Set<FoundResource>();
    let next: FoundResource | undefined = branch;
    while (next !== undefined && !ordered.has(next)) {
      if (lineage.has(next))
        throw new CommandFailure(
          exitCodes.unexpected,
          `The service reports branch ${next.id} as its own ancestor.`,
        );
      lineage.add(next);
      next = byId.get(String(next.inputs.parentId));
    }
    for (const one of [...lineage].toReversed()) ordered.add(one);
  }
  return ordered;
}
