import { pick } from 'lodash';
import { unknownValue } from '../../../provider/src/lifecycle/input-values';
import type { ReadProperties } from '../../../provider/src/plugin/properties';
import type { KeptOptions } from './stack';

// Which resources depend on which, as the program declares it or the state records it.

type Linked = KeptOptions & { readonly urn: string };

/** The URNs that the resource depends on. */
export function dependenciesOf({ references = {}, dependsOn = [] }: KeptOptions): string[] {
  return [...Object.values(references).map(({ urn }) => urn), ...dependsOn];
}

/** The resources in the order in which the engine can work on them: each level depends only on those before it. */
export function inLevels<Resource extends Linked>(resources: readonly Resource[]): Resource[][] {
  const levels: Resource[][] = [];
  let rest = resources;
  while (rest.length > 0) {
    const left = new Set(rest.map(({ urn }) => urn));
    const isReady = (each: Resource) =>
      !dependenciesOf(each).some((urn) => urn !== each.urn && left.has(urn));
    const ready = rest.filter(isReady);
    if (ready.length === 0) throw new Error(`${[...left]} depend on each other`);
    levels.push(ready);
    rest = rest.filter((each) => !isReady(each));
  }
  return levels;
}

/** These resources and all that depend on them, directly or not. */
export function withDependents(urns: Iterable<string>, resources: readonly Linked[]): Set<string> {
  const found = new Set(urns);
  for (const level of inLevels(resources))
    for (const each of level) if (dependenciesOf(each).some((urn) => found.has(urn))) found.add(each.urn);
  return found;
}

/** These resources and all that they depend on, directly or not. */
export function withDependencies(urns: Iterable<string>, resources: readonly Linked[]): Set<string> {
  const found = new Set(urns);
  for (const level of inLevels(resources).reverse())
    for (const each of level) if (found.has(each.urn)) for (const urn of dependenciesOf(each)) found.add(urn);
  return found;
}

/** What the engine passes to keep beside the inputs. */
export function keptOptions(resource: KeptOptions): KeptOptions {
  return pick(resource, 'timeoutSeconds', 'references', 'dependsOn', 'retainOnDelete');
}

export function withValues(inputs: ReadProperties, values: Record<string, unknown>): ReadProperties {
  return { ...inputs, values: { ...inputs.values, ...values } };
}

/** The inputs when what they take from these resources is not known yet. Undefined: they take nothing from them. */
export function withUnknown(
  { inputs, references = {} }: KeptOptions & { readonly inputs: ReadProperties },
  urns: ReadonlySet<string>,
): ReadProperties | undefined {
  const unknown = Object.entries(references).filter(([, { urn }]) => urns.has(urn));
  if (unknown.length === 0) return undefined;
  return withValues(inputs, Object.fromEntries(unknown.map(([name]) => [name, unknownValue])));
}
