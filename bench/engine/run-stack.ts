import type { Emulator } from 'postgres-control-emulator';
import type { DoorName } from '../../tests/support/program-doors';
import type { PulumiStack } from '../../tests/support/pulumi-stack';
import { expectReplicas, measure } from '../metered-emulator';
import { type Kind, withBenchStack } from './bench-stack';
import { measureHostMemory } from './host-memory';

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
}

/** What was measured of one stack. */
export interface StackRun {
  /** Every run of each step. */
  readonly steps: Readonly<Record<Step, readonly StepCost[]>>;
  readonly hostMb: number;
}

interface Manner {
  /** Whether the engine writes the whole state before and after each step, or once at the end. */
  readonly snapshots: boolean;
  /** How often what changes nothing is run: it is so short that equal runs differ by a tenth. @default 5 */
  readonly times?: number;
}

/**
 * The whole life of so many resources of either kind with the real CLI, of a service that takes no time. The kinds take turns,
 * because a machine may slow down while it is measured.
 */
export function runStacks(
  door: DoorName,
  count: number,
  { snapshots, times = 5 }: Manner,
): Promise<Readonly<Record<Kind, StackRun>>> {
  const service = { operationMs: 0 };
  return withBenchStack({ door, kind: 'ours', count }, service, (stack, emulator) =>
    withBenchStack({ door, kind: 'empty', count }, service, async (emptyStack, emptyEmulator) => {
      const ours = new MeasuredStack(stack, emulator, count);
      const empty = new MeasuredStack(emptyStack, emptyEmulator, 0);
      if (!snapshots)
        for (const each of [stack, emptyStack])
          each.environment = { ...each.environment, PULUMI_SKIP_CHECKPOINTS: 'true' };
      for (const step of stepNames) {
        const isRepeated = step === 'preview' || step === 'refresh';
        for (let time = 0; time < (isRepeated ? times : 1); time += 1)
          for (const each of [ours, empty]) await each.run(step);
      }
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

  constructor(stack: PulumiStack, emulator: Emulator, held: number) {
    this.#stack = stack;
    this.#emulator = emulator;
    this.#held = held;
  }

  async run(step: Step): Promise<void> {
    const work = () => this.#stack.run(...steps[step]);
    const hostMb = await measureHostMemory(this.#stack, async () => {
      this.#costs[step].push(await measureStep(this.#emulator, work));
    });
    this.#hostMb = Math.max(this.#hostMb, hostMb);
    expectReplicas(this.#emulator, step === 'destroy' ? 0 : this.#held);
  }

  get measured(): StackRun {
    if (this.#hostMb === 0) throw new Error('no process was found that hosts the provider');
    return { steps: this.#costs, hostMb: this.#hostMb };
  }
}

async function measureStep(emulator: Emulator, work: () => Promise<unknown>): Promise<StepCost> {
  const { ms, requests } = await measure(emulator, work);
  return { seconds: ms / 1000, requests };
}
