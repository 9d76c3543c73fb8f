import type { Emulator } from 'postgres-control-emulator';
import type { DoorName } from '../../tests/support/program-doors';
import type { PulumiStack } from '../../tests/support/pulumi-stack';
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

/** What was measured of one stack. */
export interface StackRun {
  /** Every run of each step. */
  readonly steps: Readonly<Record<Step, readonly StepCost[]>>;
  readonly hostMb: number;
  readonly state: StateSize;
}

/** What the service takes on one route, which the provider keeps to. */
const routeLimit = { requests: 40, windowMs: 1_000 };

/**
 * The whole life of so many resources of either kind with the real CLI, of a service that takes no time. The kinds take turns,
 * because a machine may slow down while it is measured.
 */
export function runStacks(door: DoorName, count: number): Promise<Readonly<Record<Kind, StackRun>>> {
  const service = { operationMs: 0 };
  return withBenchStack({ door, kind: 'ours', count }, service, (stack, emulator) =>
    withBenchStack({ door, kind: 'empty', count }, service, async (emptyStack, emptyEmulator) => {
      const ours = new MeasuredStack(stack, emulator, count);
      const empty = new MeasuredStack(emptyStack, emptyEmulator, 0);
      for (const step of stepNames)
        for (let time = 0; time < steps[step].times; time += 1)
          for (const each of [ours, empty]) await each.run(step);
      return { ours: ours.measured, empty: empty.measured };
    }),
  );
}

class MeasuredStack {
  readonly #stack: PulumiStack;
  readonly #emulator: Emulator;
  /** How many endpoints the service holds between `up` and `destroy`. */
  readonly #held: number;
  readonly #costs: Record<Step, StepCost[]> = { up: [], preview: [], refresh: [], destroy: [] };
  #hostMb = 0;
  #state: StateSize | undefined;

  constructor(stack: PulumiStack, emulator: Emulator, held: number) {
    this.#stack = stack;
    this.#emulator = emulator;
    this.#held = held;
  }

  async run(step: Step): Promise<void> {
    const work = () => this.#stack.run(...steps[step].args);
    const hostMb = await measureHostMemory(this.#stack, async () => {
      this.#costs[step].push(await measureStep(this.#emulator, work));
    });
    this.#hostMb = Math.max(this.#hostMb, hostMb);
    expectReplicas(this.#emulator, step === 'destroy' ? 0 : this.#held);
    if (step === 'up') this.#state = await measureState(this.#stack.backend);
  }

  get measured(): StackRun {
    if (!this.#state) throw new Error('there is no state after up');
    if (this.#hostMb === 0) throw new Error('no process was found that hosts the provider');
    return { steps: this.#costs, hostMb: this.#hostMb, state: this.#state };
  }
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
