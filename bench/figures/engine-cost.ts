import { type DoorName, doorNames } from '../../tests/support/program-doors';
import type { Kind } from '../engine/bench-stack';
import { runStacks, type StackRun, type Step, stepNames } from '../engine/run-stack';
import { type Figure, quantile } from '../figure';

type Runs = Readonly<Record<Kind, StackRun>>;

/** Milliseconds of each endpoint. */
const stepLimits: Readonly<Record<Step, number>> = { up: 3, preview: 0, refresh: 2, destroy: 5 };
const fixedLimitSeconds = 0.15;
const hostLimitsMb: Readonly<Record<DoorName, number>> = { dynamic: 200, plugin: 110 };
/** What the service takes in a second on one route, to which the provider keeps. */
const routeLimit = 40;

/**
 * The real CLI on so many endpoints of a service that takes no time, against as many resources whose provider does nothing:
 * of the dynamic provider and of the plugin.
 */
export async function measureEngineCost(counts: readonly number[]): Promise<Figure[]> {
  const figures: Figure[] = counts.map((count) => ({
    name: `what the limit of ${routeLimit} requests a second takes of up or destroy, ${count} endpoints`,
    value: limitSeconds(count),
    unit: ' s',
  }));
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
    for (const step of stepNames) {
      const { ours, c } = fastest(step, runs);
      const name = `${step} of ${count}, ${door}, with snapshots`;
      figures.push({ name, value: ours, unit: ' s', baselines: { c } });
    }
  }
  return figures;
}

function limitSeconds(count: number): number {
  return Math.max(0, count - routeLimit) / routeLimit;
}

/** The time of each endpoint that neither the empty resource nor the limit of the route takes. */
function beyondOf(door: DoorName, step: Step, count: number, runs: Runs): Figure {
  const { ours, c } = fastest(step, runs);
  const isLimited = step === 'up' || step === 'destroy';
  const floor = Math.max(c, isLimited ? limitSeconds(count) : 0);
  const ofEach = (seconds: number) => (seconds / count) * 1_000;
  return {
    name: `${step} of ${count}, ${door}: each endpoint beyond c and the limit`,
    value: ofEach(ours - floor),
    atMost: stepLimits[step],
    unit: ' ms',
    baselines: { 'ours in all': ofEach(ours), c: ofEach(c) },
  };
}

function fastest(step: Step, { ours, empty }: Runs) {
  return { ours: Math.min(...ours.seconds[step]), c: Math.min(...empty.seconds[step]) };
}

/** What a program with one endpoint feels. */
async function fixedOf(door: DoorName): Promise<Figure> {
  const runs = await runStacks(door, 1, { snapshots: false, times: 7 });
  const ours = quantile(runs.ours.seconds.preview, 0.5);
  const c = quantile(runs.empty.seconds.preview, 0.5);
  return {
    name: `preview of one endpoint, beyond the same with c, ${door}`,
    value: ours - c,
    atMost: fixedLimitSeconds,
    unit: ' s',
    baselines: { 'ours in all': ours, c },
  };
}

/** @throws Error when no run took long enough for a look at its process */
function hostOf(door: DoorName, count: number, { ours, empty }: Runs): Figure[] {
  if (!ours.hostMb || !empty.hostMb) throw new Error('no process was found that hosts the provider');
  return [
    {
      name: `requests in a preview without changes, ${count} endpoints, ${door}`,
      value: ours.requests.preview,
      atMost: 0,
    },
    {
      name: `peak memory of the provider's process, ${count} endpoints, ${door}`,
      value: ours.hostMb,
      atMost: hostLimitsMb[door],
      unit: ' MB',
      baselines: { c: empty.hostMb },
    },
  ];
}
