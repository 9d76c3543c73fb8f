import { type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { onTestFinished } from 'vitest';

import { makeDynamicProviders } from '../../provider/src/dynamic/dynamic-provider';
import { dynamicBranch, dynamicEndpoint } from '../../provider/src/dynamic/provider-text';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import type { CoreOptions } from '../../provider/src/lifecycle/provider-core';
import type { Kind } from './door';
import { defaultReadLagMs, lockPacing, pollPacing, retryPacing } from './pacing';

/** The URN of a resource of that name, in stack `test` of project `shop`. */
export const urnOf = (name: string, kind: Kind = 'endpoint') =>
  `urn:pulumi:test::shop::${(kind === 'branch' ? dynamicBranch : dynamicEndpoint).token}::${name}`;

type ProviderPacing = Omit<CoreOptions, 'environment'>;

export type Service = Awaited<ReturnType<typeof startService>>;

/** Starts an emulator with a project and an empty branch, and a provider that calls it over HTTP. */
export async function startService({
  readLagMs = defaultReadLagMs,
  ...options
}: EmulatorOptions & { readLagMs?: number } = {}) {
  const emulator = await startEmulator({ operationMs: 20, schedulingMs: 0, ...options });
  onTestFinished(() => emulator.stop());
  const project = emulator.createProject({ name: 'test' });
  const branch = emulator.createBranch(project.id, { name: 'feature' });
  const lifecycleOptions = (environment: NodeJS.ProcessEnv = {}, pacing: ProviderPacing = {}) => ({
    pollPacing,
    retryPacing,
    lockPacing,
    readLagMs,
    requestTimeoutMs: 2_000,
    readSharingMs: 0,
    ...pacing,
    environment: {
      POSTGRES_COMPUTE_BASE_URL: emulator.url,
      POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
      ...environment,
    },
  });
  const startProvider = (environment?: NodeJS.ProcessEnv, pacing?: ProviderPacing) =>
    makeDynamicProviders(lifecycleOptions(environment, pacing)).endpoint;
  const declare = (inputs: Partial<StoredInputs> = {}): StoredInputs => ({
    projectId: project.id,
    branchId: branch.id,
    type: 'read_write',
    __urn: urnOf(String(inputs.name ?? 'api')),
    autoscalingLimitMinCu: 0.25,
    autoscalingLimitMaxCu: 1,
    ...inputs,
  });
  return { emulator, project, branch, provider: startProvider(), startProvider, lifecycleOptions, declare };
}

/** Creates an endpoint as the engine does, without its check. */
export async function createEndpoint({ provider, declare }: Service, inputs = declare()) {
  const { id, outs } = await provider.create(inputs);
  return { id, outs: outs as StoredOutputs }; // A create always returns outputs.
}

/** The endpoints that the service has on the empty branch. */
export function ownEndpoints({ emulator, branch }: Pick<Service, 'emulator' | 'branch'>) {
  return emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id);
}

/** The ids of those endpoints. */
export const idsOf = (service: Service) => ownEndpoints(service).map(({ id }) => id);

/** Sends a request to an endpoint as another client, or a run that is killed, does. */
export function send(
  { emulator, project }: Pick<Service, 'emulator' | 'project'>,
  method: 'PATCH' | 'POST',
  path: string,
  body?: object,
) {
  return fetch(`${emulator.url}/projects/${project.id}/endpoints/${path}`, {
    method,
    headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
}
