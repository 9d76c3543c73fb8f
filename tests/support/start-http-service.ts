import { type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { onTestFinished } from 'vitest';
import { prepareService } from './start-service';

/** Starts an emulator with a project and an empty branch, and a provider that calls it over HTTP. */
export async function startHttpService(options: EmulatorOptions = {}) {
  const emulator = await startEmulator({ operationMs: 20, schedulingMs: 0, ...options });
  onTestFinished(() => emulator.stop());
  return prepareService(emulator);
}
