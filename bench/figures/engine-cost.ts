import { type DoorName, doorNames } from '../../tests/support/program-doors';
import type { Kind } from '../engine/bench-stack';
import { runStacks, type StackRun, type Step, type StepCost, stepNames } from '../engine/run-stack';
import { atMost, type Figure, informative } from '../figure';

type Runs = Readonly<Record<Kind, StackRun>>;

const stepLimits: Readonly<Record<Step, number>> = { up: 1.1, preview: 1.15, refresh: 1.1, destroy: 1.1 };

const doorLimits = {
  dynamic: { stateBytes: 1_500, hostMb: 210 },
  plugin: { stateBytes: 1_000, hostMb: 120 },
} as const;

/**
 * The real CLI on so many endpoints of a service that takes no time, against the same number of resources whose
 * provider does nothing: of the dynamic provider and of the plugin. The fastest run of each step counts.
 */
export async function measureEngineCost(count: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const door of doorNames) {
    const runs = await runStacks(door, count);
    figures.push(...stepNames.map((step) => timeOf(door, step, count, runs)));
    figures.push(...stateOf(door, runs), ...hostOf(door, count, runs));
  }
  return figures;
}

function timeOf(door: DoorName, step: Step, count: number, runs: Runs): Figure {
  const ours = fastest(runs.ours, step);
  const empty = fastest(runs.empty, step);
  const row = atMost({
    name: `${step} of ${count} endpoints, ${door}, over c`,
    value: ours.seconds / empty.seconds,
    limit: stepLimits[step],
    details: {
      ours: ours.seconds,
      c: empty.seconds,
      requests: ours.requests,
      heldBackSeconds: ours.heldBackSeconds,
    },
  });
  const heldBack =
    ours.heldBackSeconds < 0.1
      ? ''
      : `; up to ${ours.heldBackSeconds.toFixed(1)} s are the limit of 40 a second`;
  return {
    ...row,
    baselines: `ours ${ours.seconds.toFixed(1)} s, c ${empty.seconds.toFixed(1)} s${heldBack}`,
  };
}

function fastest({ steps }: StackRun, step: Step): StepCost {
  const [first, ...others] = steps[step];
  if (!first) throw new Error(`${step} was not run`);
  return others.reduce((best, cost) => (cost.seconds < best.seconds ? cost : best), first);
}

function stateOf(door: DoorName, { ours, empty }: Runs): Figure[] {
  return [
    atMost({
      name: `inputs and outputs in state, bytes per endpoint, ${door}`,
      value: ours.state.inputsAndOutputs,
      limit: doorLimits[door].stateBytes,
      baselines: { c: empty.state.inputsAndOutputs },
    }),
    informative({
      name: `the same with what the engine adds, ${door}`,
      value: ours.state.whole,
      baselines: { c: empty.state.whole },
      details: { file: ours.state.file },
    }),
  ];
}

function hostOf(door: DoorName, count: number, { ours, empty }: Runs): Figure[] {
  return [
    atMost({
      name: `requests in a preview without changes, ${count} endpoints, ${door}`,
      value: Math.max(...ours.steps.preview.map(({ requests }) => requests)),
      limit: 0,
    }),
    atMost({
      name: `peak memory of the provider's process, ${count} endpoints, ${door}`,
      value: ours.hostMb,
      limit: doorLimits[door].hostMb,
      unit: ' MB',
      baselines: { c: empty.hostMb },
    }),
  ];
}
