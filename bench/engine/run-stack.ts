import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emulator } from 'postgres-control-emulator';
import { makeStack } from '../../tests/support/pulumi-stack';
import { expectReplicas, measure } from '../metered-emulator';
import { type Arrival, arrivalsAt, endMeter, startMeter, timeWithoutRoom } from '../request-meter';
import { measureHostMemory } from './host-memory';
import { measureState, type StateSize } from './state-size';

/** A ComputeEndpoint, or a resource whose provider does nothing. */
export type Kind = 'ours' | 'empty';

const steps = {
  up: ['up', '--yes', '--skip-preview'],
  preview: ['preview', '--expect-no-changes'],
  refresh: ['refresh', '--yes', '--skip-preview', '--expect-no-changes'],
  destroy: ['destroy', '--yes', '--skip-preview'],
} as const;
export type Step = keyof typeof steps;
export const stepNames: readonly Step[] = ['up', 'preview', 'refresh', 'destroy'];

export interface StepCost {
  readonly seconds: number;
  readonly requests: number;
  /** How much of the time the limit of a route can have held requests back, at most. */
  readonly heldBackSeconds: number;
}

export interface StackRun {
  readonly steps: Readonly<Record<Step, StepCost>>;
  readonly hostMb: number;
  readonly state: StateSize;
}

const projectFile =
  'name: bench\nmain: index.js\nruntime: { name: nodejs, options: { typescript: false } }\n';
const projectCount = 2;
/** What the service takes on one route, which the provider keeps to. */
const routeLimit = { requests: 40, windowMs: 1_000 };

/** The whole life of so many resources with the real CLI, of a service that takes no time. */
export async function runStack(kind: Kind, count: number): Promise<StackRun> {
  const options = { operationMs: 0, locks: 'none', maxEndpoints: 5_000 } as const;
  const { stack, emulator, close } = await makeStack(fillFolder, options);
  startMeter(emulator);
  try {
    stack.environment = {
      ...stack.environment,
      BENCH_KIND: kind,
      BENCH_COUNT: String(count),
      BENCH_PROJECTS: JSON.stringify(prepareProjects(emulator)),
      BENCH_EMPTY_PROVIDER: join(stack.folder, 'empty-provider.js'),
      // The account's limit would hold back a service that takes no time; its own figure shows that it is kept.
      POSTGRES_COMPUTE_REQUESTS_PER_MINUTE: '1000000',
    };
    const costs = new Map<Step, StepCost>();
    let state: StateSize | undefined;
    const hostMb = await measureHostMemory(stack, async () => {
      for (const step of stepNames) {
        costs.set(step, await measureStep(emulator, () => stack.run(...steps[step])));
        expectReplicas(emulator, kind === 'ours' && step !== 'destroy' ? count : 0);
        if (step === 'up') state = await measureState(stack.backend);
      }
    });
    if (!state) throw new Error('there is no state after up');
    return { steps: Object.fromEntries(costs) as Record<Step, StepCost>, hostMb, state }; // Each step has been run.
  } finally {
    endMeter(emulator);
    await close();
  }
}

async function fillFolder(folder: string): Promise<void> {
  await writeFile(join(folder, 'Pulumi.yaml'), projectFile);
  await writeFile(join(folder, 'package.json'), '{}');
  await cp(join(__dirname, 'program.js'), join(folder, 'index.js'));
  await cp(join(__dirname, 'ours.js'), join(folder, 'ours.js'));
  const baselines = join(__dirname, '..', 'baselines');
  await cp(join(baselines, 'empty-resource.js'), join(folder, 'empty.js'));
  await cp(join(baselines, 'empty-provider.js'), join(folder, 'empty-provider.js'));
}

function prepareProjects(emulator: Emulator) {
  return Array.from({ length: projectCount }, () => {
    const { id } = emulator.createProject({});
    return { projectId: id, branchId: emulator.createBranch(id).id };
  });
}

async function measureStep(emulator: Emulator, work: () => Promise<unknown>): Promise<StepCost> {
  const before = arrivalsAt(emulator).length;
  const { ms, requests } = await measure(emulator, work);
  return {
    seconds: ms / 1000,
    requests,
    heldBackSeconds: timeHeldBack(arrivalsAt(emulator).slice(before)) / 1000,
  };
}

/** Every project and endpoint has the same route; writes are what a step waits for. */
function timeHeldBack(arrivals: readonly Arrival[]): number {
  const writes = arrivals.filter(({ method }) => method !== 'GET');
  return timeWithoutRoom(writes, routeLimit.requests, routeLimit.windowMs);
}
