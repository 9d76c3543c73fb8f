import { type Emulator, type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import type { Create } from './compared-clients';
import { arrivalsAt, startMeter } from './request-meter';

/** Runs the work on its own emulator, counts the requests, and stops the emulator afterwards. */
export function withEmulator<Result>(
  options: EmulatorOptions,
  work: (emulator: Emulator) => Promise<Result>,
): Promise<Result> {
  return withEmulators([options], async ([emulator]) => work(emulator as Emulator)); // One, as asked for.
}

/** The same on several, of which all run before the work begins. */
export async function withEmulators<Result>(
  options: readonly EmulatorOptions[],
  work: (emulators: readonly Emulator[]) => Promise<Result>,
): Promise<Result> {
  const emulators = await Promise.all(options.map((each) => startEmulator({ maxEndpoints: 5_000, ...each })));
  emulators.forEach(startMeter);
  try {
    return await work(emulators);
  } finally {
    await Promise.all(emulators.map((emulator) => emulator.stop()));
  }
}

/** Creates a project with a branch. Returns it with a function that creates endpoints on the branch. */
export function prepareProject(emulator: Emulator) {
  const { id } = emulator.createProject({});
  const branch = emulator.createBranch(id);
  /** Creates all of them at once, unless `atATime` limits the concurrency. */
  const createMany = async (create: Create, count: number, { prefix = 'replica', atATime = count } = {}) => {
    const before = countReplicas(emulator);
    await runInTurn(count, atATime, (index) => create(id, branch.id, `${prefix}-${index}`));
    expectReplicas(emulator, before + count);
  };
  return { id, branchId: branch.id, createMany };
}

/** Does the work that many times, from 1 on, so many at a time. */
export async function runInTurn(
  count: number,
  atATime: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let begun = 0;
  const workInTurn = async () => {
    while (begun < count) {
      begun += 1;
      await work(begun);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, atATime) }, workInTurn));
}

/** @throws Error when the service has an unexpected number of endpoints, which would invalidate every figure */
export function expectReplicas(emulator: Emulator, expected: number): void {
  const held = countReplicas(emulator);
  if (held !== expected) throw new Error(`the service holds ${held} endpoints, not ${expected}`);
}

function countReplicas(emulator: Emulator): number {
  return emulator.endpoints().filter(({ type }) => type === 'read_only').length;
}

/** Measures how long the work takes, and how many requests the emulator receives in that time. */
export async function measure(emulator: Emulator, work: () => Promise<unknown>) {
  const before = arrivalsAt(emulator).length;
  const startedAt = Date.now();
  await work();
  return { ms: Date.now() - startedAt, requests: arrivalsAt(emulator).length - before };
}
