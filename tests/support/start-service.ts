import { type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { onTestFinished } from 'vitest';
import { EndpointProvider } from '../../provider/src/dynamic/endpoint-provider';
import type { EndpointInputs } from '../../provider/src/endpoint/endpoint-inputs';

/** Quick pacing: what takes seconds at the service takes milliseconds here. */
const pollPacing = { shortestMs: 10, longestMs: 50 };
const retryPacing = { baseMs: 5, capMs: 20, unreachableMs: 300 };
const lockPacing = { unseenMs: 10, firstMs: 200, longestMs: 400 };
/** Longer than the emulator's reads lag behind in tests, unless they say otherwise. */
const defaultGraceMs = 300;

/** The URN of a resource of that name, in stack `test` of project `shop`. */
export const urnOf = (name: string) =>
  `urn:pulumi:test::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::${name}`;

/** An emulator with a project and an empty branch, and a provider that talks to it over HTTP. */
export async function startService({
  graceMs = defaultGraceMs,
  ...options
}: EmulatorOptions & { graceMs?: number } = {}) {
  const emulator = await startEmulator({ operationMs: 20, schedulingMs: 0, ...options });
  onTestFinished(() => emulator.stop());
  const project = emulator.createProject({ name: 'test' });
  const branch = emulator.createBranch(project.id, { name: 'feature' });
  const startProvider = (environment: NodeJS.ProcessEnv = {}) =>
    new EndpointProvider({
      pollPacing,
      retryPacing,
      lockPacing,
      graceMs,
      requestTimeoutMs: 2_000,
      readSharingMs: 0,
      environment: {
        POSTGRES_COMPUTE_BASE_URL: emulator.url,
        POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
        ...environment,
      },
    });
  const declare = (inputs: Partial<EndpointInputs> = {}): EndpointInputs => ({
    projectId: project.id,
    branchId: branch.id,
    type: 'read_write',
    __urn: urnOf(inputs.name ?? 'api'),
    autoscalingLimitMinCu: 0.25,
    autoscalingLimitMaxCu: 1,
    ...inputs,
  });
  return { emulator, project, branch, provider: startProvider(), startProvider, declare };
}
