import { type EngineParts, type EngineSteps, markSecretOutputs } from './engine-steps';
import { toState } from './provider-host';
import type { StoredResource } from './stack';

/** What a refresh makes of a resource. */
export async function refreshResource(
  { host, witness }: EngineParts,
  old: StoredResource,
): Promise<StoredResource | 'gone'> {
  if (old.isPendingReplacement) return old;
  witness.step?.('read', old.urn, old.id);
  const read = await host.read(old.id, toState(old));
  if (!read) {
    witness.forgotten?.(old.id);
    return 'gone';
  }
  const refreshed = markSecretOutputs({ ...old, ...read, hasInitErrors: false });
  // The engine compares the other way round, to show what has drifted.
  await host.diff(refreshed, old.inputs);
  return refreshed;
}

/** Replaces what was read in the state. What could not be read stays as it is. */
export function applyRefresh(
  { snapshot }: EngineSteps,
  refreshed: readonly (StoredResource | 'gone' | undefined)[],
): void {
  snapshot.base = snapshot.base.flatMap((old, index) => {
    const outcome = refreshed[index];
    if (outcome === 'gone') return [];
    return [outcome ?? old];
  });
}
