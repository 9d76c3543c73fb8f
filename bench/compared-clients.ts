import { makeDynamicProviders } from '../provider/src/dynamic/dynamic-provider';
import { type Address, PollingClient } from './baselines/polling-client';

/** Creates one read replica and returns when its operations have finished. */
export type Create = (projectId: string, branchId: string, name: string) => Promise<unknown>;

/** The clients that are compared. */
export type ClientName = 'ours' | 'a' | 'b';

/** As the Terraform provider: polls each operation every 100 ms, retries a locked project once a second. */
const naive = { pollMs: 100, lockedMs: 1_000 };
/** The intervals that the service suggests. */
const suggested = { pollMs: 5_000, lockedMs: 5_000 };

const size = { min: 0.25, max: 1 };

/** Creates a client in this process, with the intervals that it uses for the real service. */
export function clientOf(name: ClientName, emulator: Address, requestsPerMinute?: number): Create {
  if (name !== 'ours') {
    const client = new PollingClient(emulator, name === 'a' ? naive : suggested);
    return (projectId, branchId, endpointName) =>
      client.create(projectId, {
        branch_id: branchId,
        type: 'read_only',
        name: endpointName,
        autoscaling_limit_min_cu: size.min,
        autoscaling_limit_max_cu: size.max,
      });
  }
  const provider = makeDynamicProviders({
    environment: {
      POSTGRES_COMPUTE_BASE_URL: emulator.url,
      POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
      ...(requestsPerMinute && { POSTGRES_COMPUTE_REQUESTS_PER_MINUTE: String(requestsPerMinute) }),
    },
  }).endpoint;
  return (projectId, branchId, endpointName) =>
    provider.create({
      projectId,
      branchId,
      type: 'read_only',
      name: endpointName,
      autoscalingLimitMinCu: size.min,
      autoscalingLimitMaxCu: size.max,
    });
}
