import { type Kind, runStack, type StackRun, type Step, type StepCost, stepNames } from '../engine/run-stack';
import { atMost, type Figure } from '../figure';

type Runs = Readonly<Record<Kind, readonly StackRun[]>>;

/**
 * The real CLI on so many endpoints of a service that takes no time, against the same number of resources whose
 * provider does nothing. The two take turns, and the fastest run of each counts.
 */
export async function measureEngineCost(count: number, rounds: number): Promise<Figure[]> {
  const runs: Record<Kind, StackRun[]> = { ours: [], empty: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of ['ours', 'empty'] as const) runs[kind].push(await runStack(kind, count));
  }
  return [...stepNames.map((step) => timeOf(step, count, runs)), ...stateOf(runs), ...hostOf(count, runs)];
}

function timeOf(step: Step, count: number, runs: Runs): Figure {
  const ours = fastest(runs.ours, step);
  const empty = fastest(runs.empty, step);
  const row = atMost({
    name: `${step} of ${count} endpoints, over c`,
    value: ours.seconds / empty.seconds,
    limit: 1.15,
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

function fastest(runs: readonly StackRun[], step: Step): StepCost {
  const [first, ...others] = runs.map(({ steps }) => steps[step]);
  if (!first) throw new Error(`${step} was not run`);
  return others.reduce((best, cost) => (cost.seconds < best.seconds ? cost : best), first);
}

function stateOf({ ours, empty }: Runs): Figure[] {
  const limit = 1_500;
  const largest = (runs: readonly StackRun[], part: keyof StackRun['state']) =>
    Math.max(...runs.map(({ state }) => state[part]));
  return [
    atMost({
      name: 'state bytes per endpoint, all that the state holds of it',
      value: largest(ours, 'whole'),
      limit,
      baselines: { c: largest(empty, 'whole') },
      details: { file: largest(ours, 'file') },
    }),
    atMost({
      name: 'state bytes per endpoint, its inputs and outputs alone',
      value: largest(ours, 'inputsAndOutputs'),
      limit,
      baselines: { c: largest(empty, 'inputsAndOutputs') },
    }),
  ];
}

function hostOf(count: number, { ours, empty }: Runs): Figure[] {
  return [
    atMost({
      name: `requests in a preview without changes, ${count} endpoints`,
      value: Math.max(...ours.map(({ steps }) => steps.preview.requests)),
      limit: 0,
    }),
    atMost({
      name: `peak memory of the host process, ${count} endpoints`,
      value: Math.max(...ours.map(({ hostMb }) => hostMb)),
      limit: 150,
      unit: ' MB',
      baselines: { c: Math.max(...empty.map(({ hostMb }) => hostMb)) },
    }),
  ];
}
