import type { Emulator } from 'postgres-control-emulator';
import type { DoorName } from '../../tests/support/program-doors';
import { expectReplicas, measure } from '../metered-emulator';
import { type Arrival, arrivalsAt, timeWithoutRoom } from '../request-meter';
import { type Kind, withBenchStack } from './bench-stack';
import { measureHostMemory } from './host-memory';
import { measureState, type StateSize } from './state-size';

const steps = {
  up: { args: ['up', '--yes', '--skip-preview'], times: 1 },
  preview: { args: ['preview', '--expect-no-changes'], times: 1 },
  // It is so short that equal runs differ by a tenth.
  refresh: { args: ['refresh', '--yes', '--skip-preview', '--expect-no-changes'], times: 6 },
  destroy: { args: ['destroy', '--yes', '--skip-preview'], times: 1 },
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
  /** Every run of each step. */
  readonly steps: Readonly<Record<Step, readonly StepCost[]>>;
  readonly hostMb: number;
  readonly state: StateSize;
}

/** What the service takes on one route, which the provider keeps to. */
const routeLimit = { requests: 40, windowMs: 1_000 };

/** The whole life of so many resources with the real CLI, of a service that takes no time. */
export async function runStack(door: DoorName, kind: Kind, count: number): Promise<StackRun> {
  return withBenchStack({ door, kind, count }, { operationMs: 0 }, async (stack, emulator) => {
    const costs: Record<Step, StepCost[]> = { up: [], preview: [], refresh: [], destroy: [] };
    let state: StateSize | undefined;
    const hostMb = await measureHostMemory(stack, async () => {
      for (const step of stepNames) {
        const { args, times } = steps[step];
        for (let time = 0; time < times; time += 1)
          costs[step].push(await measureStep(emulator, () => stack.run(...args)));
        expectReplicas(emulator, kind === 'ours' && step !== 'destroy' ? count : 0);
        if (step === 'up') state = await measureState(stack.backend);
      }
    });
    if (!state) throw new Error('there is no state after up');
    return { steps: costs, hostMb, state };
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
