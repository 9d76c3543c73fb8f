import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { findEngineAddress } from './engine-client';

/** Whether this process is a host of dynamic providers. A process without an engine only loads the module. */
export const isHost = findEngineAddress(process.argv) !== undefined;

// Keep the host's memory small. `dynamic/runtime.ts` imports this before the provider, whose loading would enlarge the young
// generation, and V8 does not make it smaller again.
if (isHost) {
  // Collect garbage when the heap has grown by 60 %, and leave the young generation as it is.
  setFlagsFromString('--heap-growing-percent=60');
  setFlagsFromString('--semi-space-growth-factor=1');
  // V8 lets a new heap double before it collects the first time, and measures growth only from there.
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
