import type { EmulatorOptions } from 'postgres-control-emulator';
import type { Controls } from '../../emulator/src/controls/controls';
import { makeDynamicProviders } from '../../provider/src/dynamic/dynamic-provider';
import {
  dynamicBranch,
  dynamicDatabase,
  dynamicEndpoint,
  dynamicRole,
} from '../../provider/src/dynamic/provider-text';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import type { CoreOptions } from '../../provider/src/lifecycle/provider-core';
import type { Kind } from './door';
import { defaultReadLagMs, lockPacing, pollPacing, retryPacing } from './pacing';
import { VirtualService } from './virtual-service';

const tokens: Readonly<Record<Kind, string>> = {
  endpoint: dynamicEndpoint.token,
  branch: dynamicBranch.token,
  role: dynamicRole.token,
  database: dynamicDatabase.token,
};

/** The URN of a resource of that name, in stack `test` of project `shop`. */
export const urnOf = (name: string, kind: Kind = 'endpoint') =>
  `urn:pulumi:test::shop::${tokens[kind]}::${name}`;

type ProviderPacing = Omit<CoreOptions, 'environment'>;

export type Service = ReturnType<typeof prepareService<Reached>>;

/** Starts an emulator in this process, in virtual time, with a project and an empty branch, and a provider that calls it. */
export async function startService({
  readLagMs = defaultReadLagMs,
  ...options
}: EmulatorOptions & { readLagMs?: number } = {}) {
  const service = new VirtualService({ operationMs: 20, schedulingMs: 0, ...options });
  const { apiKey, emulator } = service;
  const { baseUrl } = service.startProcess();
  return {
    ...prepareService(Object.assign(emulator, { url: baseUrl, apiKey }), readLagMs),
    /** Sends a request to an endpoint as another client, or a run that is killed, does. */
    send: (method: 'PATCH' | 'POST', path: string, body?: object) =>
      service.request(method, `/projects/${emulator.projects()[0]?.id}/endpoints/${path}`, body),
    request: service.request.bind(service),
  };
}

/** An emulator that can be called at its URL. */
type Reached = Controls & { readonly url: string; readonly apiKey: string };

/** Adds a project and an empty branch to the emulator. Returns both with a provider that calls it. */
export function prepareService<Emulator extends Reached>(emulator: Emulator, readLagMs = defaultReadLagMs) {
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
