import { unknownValue } from '../../../provider/src/lifecycle/input-values';
import { inLevels, withUnknown, withValues } from './engine-graph';
import type { EngineSteps } from './engine-steps';
import type { ProviderHost } from './provider-host';
import type { DeclaredResource, StoredResource } from './stack';

/**
 * The resource with the ids that it takes from others. A preview does not know the outputs of a resource that is created, or would be.
 * @param inState the resources in state under the URNs that the program gives them
 */
export function withOutputs(
  resource: DeclaredResource,
  { snapshot, taken, isPreview }: Pick<EngineSteps, 'snapshot' | 'taken' | 'isPreview'>,
  inState: ReadonlyMap<string, StoredResource>,
): DeclaredResource {
  const values: Record<string, unknown> = {};
  for (const [name, { urn, output }] of Object.entries(resource.references ?? {})) {
    const found = snapshot.find(urn) ?? inState.get(urn);
    const isUnknown = taken.includes(`create ${urn}`) || (output === 'id' && !found);
    if (isPreview && isUnknown) values[name] = unknownValue;
    else if (output === 'id') values[name] = found?.id;
  }
  return { ...resource, inputs: withValues(resource.inputs, values) };
}

/**
 * Before a delete-before-replace, the engine asks which of the resources that depend on it, by the state, have to be replaced too.
 * @param left the resources in state that the program has not registered
 */
export async function findReplacedWith(
  urn: string,
  left: readonly StoredResource[],
  host: Pick<ProviderHost, 'diff'>,
): Promise<readonly StoredResource[]> {
  const found: StoredResource[] = [];
  const replaced = new Set([urn]);
  for (const each of inLevels(left).flat()) {
    const inputs = withUnknown(each, replaced);
    if (!inputs) continue;
    const { replaces } = await host.diff(each, inputs);
    if (replaces.length === 0) continue;
    replaced.add(each.urn);
    found.push(each);
  }
  return found;
}
