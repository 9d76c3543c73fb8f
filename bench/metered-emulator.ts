import { type Emulator, type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import type { Create } from './compared-clients';
import { arrivalsAt, endMeter, startMeter } from './request-meter';

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
