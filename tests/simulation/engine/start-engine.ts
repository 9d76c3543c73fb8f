import type { Network } from '../network/network';
import { Engine } from './engine';
import type { EngineParts } from './engine-steps';
import { ProviderHost } from './provider-host';

/** The engine of a run, and the host of the provider, which finds the service through the network. */
export function startEngine({
  network,
  settings,
  witness,
  ...parts
}: Omit<EngineParts, 'host'> & { readonly network: Network; readonly settings: object }): Engine {
  const { run, journal } = parts;
  const told: EngineParts['witness'] = {
    ...witness,
    shown(text) {
      journal.note(run.name, () => `  shows: ${text}`);
      witness.shown?.(text);
    },
    step(step, urn, id) {
      journal.note(run.name, () => `${step} ${urn} ${id ?? ''}`);
      witness.step?.(step, urn, id);
    },
  };
  const host = new ProviderHost(run, { ...settings, baseUrl: network.connect(run) }, told);
  run.onCutOff = (kind) => {
    if (kind === 'Ctrl-C') host.cancel();
  };
  return new Engine({ ...parts, witness: told, host });
}
