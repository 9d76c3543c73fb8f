import { STATUS_CODES } from 'node:http';
import type { RequestEffect } from 'postgres-control-emulator';

import type { DynamicProvider } from '../../provider/src/dynamic/dynamic-provider';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';

import { KeyWitness } from './key-witness';
import { retryPacing } from './pacing';
import { startHttpService } from './start-http-service';

/** Contains characters that JSON and URLs escape, as far as a key allows them. */
export const canary = 'canary-key/7f3a+"1"=';
/** A message of a service that repeats the key. */
export const repeated = `the key ${canary} is not welcome`;

const urn = 'urn:pulumi:test::test::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::app';
/** Short, for calls that wait until the deadline. Seconds. */
const timeouts = { create: 0.3, update: 0.3, delete: 0.3 };

/** Starts an emulator with the canary as its key, and a witness of everything that leaves the provider. */
export async function startWitnessed() {
  const witness = new KeyWitness();
  witness.watchProcess();
  await witness.watchEngine();
  const { emulator, project, branch, declare, ...service } = await startHttpService({ apiKey: canary });
  const startProvider = (environment?: NodeJS.ProcessEnv) =>
    service.startProvider(environment, {
      retryPacing: { ...retryPacing, unreachableMs: 50 },
      requestTimeoutMs: 250,
    });
  const inputs = declare({ __urn: urn, timeouts });
  return { witness, emulator, project, branch, startProvider, inputs };
}

type Witnessed = Awaited<ReturnType<typeof startWitnessed>>;

/** Makes every call that the engine makes to a provider. Each may fail. */
export async function live(
  { witness }: Witnessed,
  provider: DynamicProvider,
  inputs: StoredInputs,
  state?: { id: string; outs: StoredOutputs },
): Promise<void> {
  const id = state?.id ?? 'ep-none-1';
  // A delete takes its deadline from the state.
  const outs = { ...state?.outs, ...inputs } as StoredOutputs;
  const desired = { ...inputs, autoscalingLimitMaxCu: 2 };
  await witness.see(() => provider.check({}, { ...inputs }));
  await witness.see(() => provider.create({ ...inputs, name: 'second', type: 'read_only' }));
  await witness.see(() => provider.diff(id, outs, desired));
  await witness.see(() => provider.update(id, outs, desired));
  await witness.see(() => provider.read(id, outs));
  await witness.see(() => provider.delete(id, outs));
}

/** One for each meaning of a failure. */
const statuses = [400, 401, 404, 409, 423, 429, 500, 503];

/** Every way in which a request can fail at the emulator. */
export const requestEffects: [string, RequestEffect][] = [
  ...statuses.map((status): [string, RequestEffect] => [
    `${status} ${STATUS_CODES[status]}, which repeats the key`,
    { kind: 'status', status, message: repeated, code: `KEY_${canary}` },
  ]),
  ['500 after the work', { kind: 'status', status: 500, when: 'after-work', message: repeated }],
  ['no response, before the work', { kind: 'lost-before-work' }],
  ['no response, after the work', { kind: 'lost-after-work' }],
  ['a response after the time-out', { kind: 'slow', delayMs: 400 }],
  ['a truncated response', { kind: 'malformed' }],
];
