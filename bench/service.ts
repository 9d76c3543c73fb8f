import { type Emulator, type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { EndpointProvider } from '../provider/src/endpoint-provider';
import { PollingClient } from './baselines/polling-client';
import { arrivalsAt, endMeter, startMeter } from './request-meter';

/** Makes one read replica and returns when its operations have ended. */
export type Create = (projectId: string, branchId: string, name: string) => Promise<unknown>;

/** The clients that are compared. */
export type ClientName = 'ours' | 'a' | 'b';

/** What the Terraform provider does: each operation every 100 ms, a locked project once a second. */
const naive = { pollMs: 100, lockedMs: 1_000 };
/** What the service suggests. */
const suggested = { pollMs: 5_000, lockedMs: 5_000 };

const size = { min: 0.25, max: 1 };

/** A client in this process, with the pacing that it has at the real service. */
export function clientOf(name: ClientName, emulator: Emulator, requestsPerMinute?: number): Create {
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
  const provider = new EndpointProvider({
    environment: {
      POSTGRES_COMPUTE_BASE_URL: emulator.url,
      POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
      ...(requestsPerMinute && { POSTGRES_COMPUTE_REQUESTS_PER_MINUTE: String(requestsPerMinute) }),
    },
  });
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

/** Runs the work on an emulator of its own, whose requests are counted and which is stopped in the end. */
export async function withEmulator<Result>(
  options: EmulatorOptions,
  work: (emulator: Emulator) => Promise<Result>,
): Promise<Result> {
  const emulator = await startEmulator({ maxEndpoints: 5_000, ...options });
  startMeter(emulator);
  try {
    return await work(emulator);
  } finally {
    // First, because the next emulator may get the same port.
    endMeter(emulator);
    await emulator.stop();
  }
}

/** A project with a branch, and how to make that many endpoints on it. */
export function prepareProject(emulator: Emulator) {
  const { id } = emulator.createProject({});
  const branch = emulator.createBranch(id);
  /** All are asked for at once, unless there is room for so many at a time only. */
  const createMany = async (create: Create, count: number, { prefix = 'replica', atATime = count } = {}) => {
    const before = countReplicas(emulator);
    let made = 0;
    const createInTurn = async () => {
      while (made < count) {
        made += 1;
        await create(id, branch.id, `${prefix}-${made}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(count, atATime) }, createInTurn));
    expectReplicas(emulator, before + count);
  };
  return { id, branchId: branch.id, createMany };
}

/** @throws Error when the service holds another number of endpoints than was asked for: then no number means anything */
export function expectReplicas(emulator: Emulator, expected: number): void {
  const held = countReplicas(emulator);
  if (held !== expected) throw new Error(`the service holds ${held} endpoints, not ${expected}`);
}

function countReplicas(emulator: Emulator): number {
  return emulator.endpoints().filter(({ type }) => type === 'read_only').length;
}

/** How long the work takes, and how many requests the emulator gets meanwhile. */
export async function measure(emulator: Emulator, work: () => Promise<unknown>) {
  const before = arrivalsAt(emulator).length;
  const startedAt = Date.now();
  await work();
  return { ms: Date.now() - startedAt, requests: arrivalsAt(emulator).length - before };
}
