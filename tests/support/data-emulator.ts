import { join } from 'node:path';
import { type Emulator, type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { onTestFinished } from 'vitest';
import { makeTemporaryFolder } from './temporary-folder';

/** A path for a new data file. */
export function newDataFile(): string {
  return join(makeTemporaryFolder(), 'service.db');
}

export async function start(options: EmulatorOptions): Promise<Emulator> {
  const emulator = await startEmulator(options);
  onTestFinished(() => emulator.stop());
  return emulator;
}

export async function restart(emulator: Emulator, options: EmulatorOptions): Promise<Emulator> {
  await emulator.stop();
  return start(options);
}
