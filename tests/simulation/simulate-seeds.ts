import { drawScenario } from './draw-scenario';
import { Simulator } from './simulate';
import type { Share } from './simulating-process';
import { type ShareResult, Totals } from './totals';

/** Simulates the seeds of a share in this process. */
export async function simulateShare(share: Share): Promise<ShareResult> {
  const { first, step, schedules, seconds, mostFailures } = share;
  // The real clock, before it becomes virtual.
  const clock = performance.now.bind(performance);
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : clock() + seconds * 1_000;
  const totals = new Totals();
  const simulator = new Simulator();
  simulator.install();
  try {
    const isDone = () =>
      totals.schedules === schedules || clock() >= end || totals.failures.length >= mostFailures;
    for (let seed = first; !isDone(); seed += step) {
      const { violations, counts } = await simulator.run(drawScenario(seed).value);
      totals.add(seed, violations, counts);
    }
  } finally {
    simulator.uninstall();
  }
  return { schedules: totals.schedules, counts: [...totals.counts], failures: totals.failures };
}
