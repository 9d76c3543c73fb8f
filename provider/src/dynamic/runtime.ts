import { endWithEngine } from '../engine/end-with-engine';
import { isHost, limitHostMemory } from '../engine/host-memory';
import { makeDynamicProviders } from './dynamic-provider';

/** The providers that the `__provider` texts in state ask for: this is the one module that state refers to. */
export const { endpoint: provider, branch, role, database } = makeDynamicProviders();

if (isHost) {
  endWithEngine();
  limitHostMemory();
}
