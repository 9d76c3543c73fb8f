import { type DoorName, doorNames } from '../../tests/support/program-doors';
import type { Kind } from '../engine/bench-stack';
import { runStacks, type StackRun, type Step, type StepCost, stepNames } from '../engine/run-stack';
import { atMost, type Figure, informative, quantile } from '../figure';

type Runs = Readonly<Record<Kind, StackRun>>;

/** Milliseconds of each endpoint. */
const stepLimits: Readonly<Record<Step, number>> = { up: 3, preview: 0, refresh: 2, destroy: 5 };
const fixedLimitSeconds = 0.15;

const hostLimitsMb: Readonly<Record<DoorName, number>> = { dynamic: 200, plugin: 110 };

/** What the service takes in a second on one route, to which the provider keeps. */
const routeLimit = 40;

/**
 * The real CLI on so many endpoints of a service that takes no time, against as many resources whose provider does nothing:
 * of the dynamic provider and of the plugin. The fastest run of each step counts.
 */
export async function measureEngineCost(counts: readonly number[]): Promise<Figure[]> {
  const figures = counts.map((count) =>
    informative({
      name: `what the limit of ${routeLimit} requests a second takes of up or destroy, ${count} endpoints`,
      value: limitSeconds(count),
      unit: ' s',
    }),
  );
  for (const door of doorNames) {
    for (const [index, count] of counts.entries()) {
      const runs = await runStacks(door, count, { snapshots: false });
      figures.push(...stepNames.map((step) => beyondOf(door, step, count, runs)));
      if (index === counts.length - 1) figures.push(...hostOf(door, count, runs));
    }
    figures.push(await fixedOf(door));
  }
  return figures;
}

/** What the snapshots of the whole state cost, which the file backend writes before and after each step. */
export async function measureSnapshots(count: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const door of doorNames) {
    const runs = await runStacks(door, count, { snapshots: true });
    figures.push(...stepNames.map((step) => ratioOf(door, step, count, runs)));
  }
  return figures;
}

function limitSeconds(count: number): number {
  return Math.max(0, count - routeLimit) / routeLimit;
}

/** The time of each endpoint that neither the empty resource nor the limit of the route takes. */
function beyondOf(door: DoorName, step: Step, count: number, runs: Runs): Figure {
  const [ours, empty] = [fastest(runs.ours, step), fastest(runs.empty, step)];
  const isLimited = step === 'up' || step === 'destroy';
  const floor = Math.max(empty.seconds, isLimited ? limitSeconds(count) : 0);
  const row = atMost({
    name: `${step} of ${count}, ${door}: each endpoint beyond c and the limit`,
    value: ((ours.seconds - floor) / count) * 1_000,
    limit: stepLimits[step],
    unit: ' ms',
    details: { ours: ours.seconds, c: empty.seconds, requests: ours.requests },
  });
  return { ...row, baselines: inSeconds(ours, empty) };
}

function ratioOf(door: DoorName, step: Step, count: number, runs: Runs): Figure {
  const [ours, empty] = [fastest(runs.ours, step), fastest(runs.empty, step)];
  const name = `${step} of ${count}, ${door}, with snapshots, over c`;
  const details = { ours: ours.seconds, c: empty.seconds };
  const row = informative({ name, value: ours.seconds / empty.seconds, details });
  return { ...row, baselines: inSeconds(ours, empty) };
}

function inSeconds(ours: StepCost, empty: StepCost): string {
  return `ours ${ours.seconds.toFixed(1)} s, c ${empty.seconds.toFixed(1)} s`;
}

function fastest({ steps }: StackRun, step: Step): StepCost {
  const [first, ...others] = steps[step];
  if (!first) throw new Error(`${step} was not run`);
  return others.reduce((best, cost) => (cost.seconds < best.seconds ? cost : best), first);
}

/** What a program with one endpoint feels. */
async function fixedOf(door: DoorName): Promise<Figure> {
  const runs = await runStacks(door, 1, { snapshots: false, times: 7 });
  const [ours, c] = (['ours', 'empty'] as const).map((kind) =>
    quantile(
      runs[kind].steps.preview.map(({ seconds }) => seconds),
      0.5,
    ),
  ) as [number, number];
  return atMost({
    name: `preview of one endpoint, beyond the same with c, ${door}`,
    value: ours - c,
    limit: fixedLimitSeconds,
    unit: ' s',
    baselines: { ours, c },
  });
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
      limit: hostLimitsMb[door],
      unit: ' MB',
      baselines: { c: empty.hostMb },
    }),
  ];
}
