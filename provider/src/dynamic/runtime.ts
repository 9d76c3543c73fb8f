import { setFlagsFromString } from 'node:v8';
import { endWithEngine } from '../engine/end-with-engine';
import { findEngineAddress } from '../engine/engine-client';
import { makeDynamicProviders } from './dynamic-provider';

/** The providers that the `__provider` texts in state ask for: this is the one module that state refers to. */
export const { endpoint: provider, branch } = makeDynamicProviders();

// A process without an engine is no host: it only loads the module.
if (findEngineAddress(process.argv) !== undefined) {
  // Collect garbage when the heap has grown by 30 %, like the plugin: a third less memory for 1000 endpoints.
  setFlagsFromString('--heap-growing-percent=30');
  endWithEngine();
}
