import { fstatSync } from 'node:fs';
import { isProviderHost } from '../display/engine-display';
import { DynamicProvider } from './dynamic-provider';

/** The provider that a state's `__provider` text asks for: the one module that state refers to. */
export const provider = new DynamicProvider();

/**
 * The host of dynamic providers outlives a CLI that is killed, and would continue work that no state records. The CLI holds
 * the other end of the host's standard input, so end-of-file means that the CLI has ended.
 */
function endWithEngine(): void {
  if (!isProviderHost(process.argv) || !isPipe(0)) return;
  process.stdin.on('end', () => process.exit(0)).resume();
}

function isPipe(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFIFO();
  } catch {
    // It is closed.
    return false;
  }
}

endWithEngine();
