import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mean } from '../figure';

/** Bytes of state per endpoint, means. */
export interface StateSize {
  /** All that the state holds of it, as compact JSON. */
  readonly whole: number;
  /** Of these, its inputs and outputs: the rest is the engine's (URNs, times, a trace of where it was declared). */
  readonly inputsAndOutputs: number;
  /** The file, with its indentation, over the endpoints. */
  readonly file: number;
}

interface StoredResource {
  readonly type: string;
  readonly inputs?: object;
  readonly outputs?: object;
}

/** What the endpoints take in the state file. */
export async function measureState(backend: string): Promise<StateSize> {
  const endpoints = await readEndpoints(backend);
  return {
    whole: mean(endpoints.map(bytesOf)),
    inputsAndOutputs: mean(endpoints.map(({ inputs, outputs }) => bytesOf({ inputs, outputs }))),
    file: (await stat(stateFile(backend))).size / endpoints.length,
  };
}

/** The endpoints in the state file of the stack `test` of the project `bench`. */
export async function readEndpoints(backend: string): Promise<StoredResource[]> {
  // Pulumi's own format: a checkpoint with the latest deployment.
  const { checkpoint } = JSON.parse(await readFile(stateFile(backend), 'utf8')) as {
    checkpoint: { latest: { resources: StoredResource[] } };
  };
  return checkpoint.latest.resources.filter(({ type }) => type.endsWith(':ComputeEndpoint'));
}

function stateFile(backend: string): string {
  return join(backend, '.pulumi', 'stacks', 'bench', 'test.json');
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
