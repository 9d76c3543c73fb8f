import { promisify } from 'node:util';
import { drawScenario } from '../scenario/draw-scenario';
import type { Drawing } from '../scenario/drawing';
import { namedDrawing } from '../user-steps/draw-named-schedule';
import { userDrawing } from '../user-steps/draw-user-schedule';
import type { UserSchedule } from '../user-steps/user-schedule';
import { observeDecisions } from './coverage';
import { type Outcome, Simulator } from './simulate';
import type { ScheduleKind, Share } from './simulating-process';
import { type ShareResult, Totals } from './totals';

/** How many schedules run before Node.js has a turn of its event loop. */
const schedulesPerTurn = 100;

/** Simulates the seeds of a share in this process. */
export async function simulateShare(share: Share): Promise<ShareResult> {
  const { first, step, schedules, seconds, kind, mostFailures } = share;
  // The real clock and timers, before they become virtual.
  const clock = performance.now.bind(performance);
  const turn = promisify(setImmediate);
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : clock() + seconds * 1_000;
  const totals = new Totals();
  const unobserve = observeDecisions((decision) => totals.coverage.note(decision));
  const simulator = new Simulator();
  simulator.install();
  try {
    const isDone = () =>
      totals.schedules === schedules || clock() >= end || totals.failures.length >= mostFailures;
    for (let seed = first; !isDone(); seed += step) {
      const { violations, counts } = await simulateSeed(simulator, seed, { kind });
      totals.add(seed, violations, counts);
      // Without it, Node.js would never clean up after the signals that are no longer used.
      if (totals.schedules % schedulesPerTurn === 0) await turn();
    }
  } finally {
    simulator.uninstall();
    unobserve();
  }
  const { schedules: ran, counts, failures, coverage } = totals;
  return { schedules: ran, counts: [...counts], failures, coverage: [...coverage.counts] };
}

/** Runs the scenario of a seed and, if nothing is wrong with it, the steps of a user that some seeds have. */
export async function simulateSeed(
  simulator: Simulator,
  seed: number,
  { kind = 'all', isTold = false }: { kind?: ScheduleKind | undefined; isTold?: boolean } = {},
): Promise<Outcome> {
  if (kind === 'users') return simulator.runUser(userDrawing.draw(seed).value, isTold);
  const first = await simulator.run(drawScenario(seed).value, isTold);
  const drawing = findUserDrawing(seed);
  if (first.violations.length > 0 || !drawing) return first;
  const second = await simulator.runUser(drawing.draw(seed).value, isTold);
  const counts = new Map(first.counts);
  for (const [event, times] of second.counts) counts.set(event, (counts.get(event) ?? 0) + times);
  return { violations: second.violations, counts, story: [...first.story, ...second.story] };
}

/** Two seeds in 15 have steps of users besides their scenario. Odd, because processes share the seeds in turn. */
export function findUserDrawing(seed: number): Drawing<UserSchedule> | undefined {
  if (seed % 15 === 7) return namedDrawing;
  return seed % 15 === 0 ? userDrawing : undefined;
}
