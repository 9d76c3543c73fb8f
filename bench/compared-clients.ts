import { setTimeout as sleep } from 'node:timers/promises';
import type { Emulator } from 'postgres-control-emulator';
import { makeDynamicProviders } from '../provider/src/dynamic/dynamic-provider';
import { sendRequest } from '../tests/support/send-request';

/** Where a client finds its emulator, which may run in another process. */
export type Address = Pick<Emulator, 'url' | 'apiKey'>;

/** Creates one read replica and returns when its operations have finished. */
export type Create = (projectId: string, branchId: string, name: string) => Promise<unknown>;

interface Pacing {
  /** How often each operation is asked for by its id. Milliseconds. */
  readonly pollMs: number;
  /** Pause before a write is retried after a 423. Milliseconds. */
  readonly lockedMs: number;
}

const baselines = {
  /** As the Terraform provider. */
  a: { pollMs: 100, lockedMs: 1_000 },
  /** The intervals that the service suggests. */
  b: { pollMs: 5_000, lockedMs: 5_000 },
};
/** How often a baseline tries a locked project. */
const lockedTries = 120;

export type ClientName = 'ours' | keyof typeof baselines;

/** Creates a client in this process, with the intervals that it uses for the real service. */
export function clientOf(name: ClientName, emulator: Address, requestsPerMinute?: number): Create {
  if (name !== 'ours') return pollingClient(emulator, baselines[name]);
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
      autoscalingLimitMinCu: 0.25,
      autoscalingLimitMaxCu: 1,
    });
}

/** A client that asks for each operation by its id at a fixed interval, and tries a locked project on a timer. */
function pollingClient(emulator: Address, { pollMs, lockedMs }: Pacing): Create {
  return async (projectId, branch_id, name) => {
    const size = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 1 };
    const body = { endpoint: { branch_id, type: 'read_only', name, ...size } };
    const send = () => sendRequest(emulator, 'POST', `/projects/${projectId}/endpoints`, body);
    let response = await send();
    for (let tries = 1; response.status === 423 && tries < lockedTries; tries += 1) {
      await response.arrayBuffer();
      await sleep(lockedMs);
      response = await send();
    }
    const { operations } = await readJson<{ operations: { id: string }[] }>(response);
    for (const { id } of operations) {
      const path = `/projects/${projectId}/operations/${id}`;
      const isFinished = async () => {
        const found = await readJson<Operation>(await sendRequest(emulator, 'GET', path));
        return found.operation.status === 'finished';
      };
      while (!(await isFinished())) await sleep(pollMs);
    }
  };
}

interface Operation {
  operation: { status: string };
}

/** The body, whose type the caller knows from the API. @throws Error when the request has failed */
async function readJson<Body>(response: Response): Promise<Body> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  return (await response.json()) as Body;
}
