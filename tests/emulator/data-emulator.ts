import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Emulator, type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { expect, onTestFinished } from 'vitest';

/** The path of a data file that does not exist yet. */
export function newDataFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emulator-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'service.db');
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

export async function request(
  emulator: Emulator,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  const headers = { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' };
  return fetch(`${emulator.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

export function settled(emulator: Emulator, projectId: string) {
  const unfinished = () =>
    emulator.operations(projectId).filter(({ status }) => ['scheduling', 'running'].includes(status));
  return expect.poll(unfinished).toEqual([]);
}
