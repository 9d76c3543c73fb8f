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
      const runs = {
        ours: new StackRun(stack, emulator, count),
        empty: new StackRun(emptyStack, emptyEmulator, 0),
      };
      if (!snapshots)
        for (const each of [stack, emptyStack])
          each.environment = { ...each.environment, PULUMI_SKIP_CHECKPOINTS: 'true' };
      for (const step of stepNames) {
        const isRepeated = step === 'preview' || step === 'refresh';
        for (let time = 0; time < (isRepeated ? times : 1); time += 1)
          for (const run of [runs.ours, runs.empty]) await run.measureStep(step);
      }
      return runs;
    }),
  );
}

/** What was measured of one stack. */
export class StackRun {
  /** Of every run of each step. */
  readonly seconds: Readonly<Record<Step, number[]>> = { up: [], preview: [], refresh: [], destroy: [] };
  /** The most requests that a run of each step has sent. */
  readonly requests: Record<Step, number> = { up: 0, preview: 0, refresh: 0, destroy: 0 };
  hostMb = 0;
  readonly #stack: PulumiStack;
  readonly #emulator: Emulator;
  /** How many endpoints the service holds between `up` and `destroy`. */
  readonly #held: number;

  constructor(stack: PulumiStack, emulator: Emulator, held: number) {
    this.#stack = stack;
    this.#emulator = emulator;
    this.#held = held;
  }

  async measureStep(step: Step): Promise<void> {
    const hostMb = await measureHostMemory(this.#stack, async () => {
      const { ms, requests } = await measure(this.#emulator, () => this.#stack.run(...steps[step]));
      this.seconds[step].push(ms / 1000);
      this.requests[step] = Math.max(this.requests[step], requests);
    });
    this.hostMb = Math.max(this.hostMb, hostMb);
    expectReplicas(this.#emulator, step === 'destroy' ? 0 : this.#held);
  }
}
