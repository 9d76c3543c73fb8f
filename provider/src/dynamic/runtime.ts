import { fstatSync } from 'node:fs';
import { isProviderHost } from '../display/engine-display';
import { DynamicProvider } from './dynamic-provider';

/** The provider that a state's `__provider` text asks for: the one module that state refers to. */
export const provider = new DynamicProvider();

/**
 * The host of dynamic providers outlives a CLI that is killed, and would go on working for a run that nobody records.
 * The CLI holds the other end of its standard input, so the end of that is the end of the CLI.
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
