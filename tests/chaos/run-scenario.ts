import { describeViolation } from '../simulation/rules/rules';
import { Journal } from '../simulation/run/journal';
import { drawScenario } from '../simulation/scenario/draw-scenario';
import { runRounds } from '../simulation/user/rounds';
import type { DoorName } from '../support/program-doors';
import { endHosts, waitForHosts } from '../support/provider-hosts';
import { toReal } from './real-scenario';
import { makeRealStack } from './real-stack';
import { RealWorld } from './real-world';

export interface RealOutcome {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  /** What the filter has changed. */
  readonly changed: readonly string[];
  /** Who did what, at which time. */
  readonly story: readonly string[];
}

/** Replays the schedule of a seed: the same programs, mishaps and repairs as in the simulation, with real processes. */
export async function runScenario(seed: number, door: DoorName): Promise<RealOutcome> {
  const { real, changed } = toReal(drawScenario(seed).value, door);
  const startedAt = performance.now();
  const journal = new Journal(() => performance.now() - startedAt, true);
  const [{ slots } = { slots: [] }] = real.rounds;
  const names = slots.length > real.secondStackFrom ? ['one', 'two'] : ['one'];
  const stacks = await Promise.all(names.map((name) => makeRealStack(name, door)));
  const world = new RealWorld(real, journal, stacks);
  const { book, watch } = world;
  try {
    if (real.rounds.some(({ branches }) => branches.length > 0)) journal.count('schedules with branches');
    await runRounds(world).catch((error) => book.violate('the simulation works', String(error.stack)));
    for (const stack of stacks) {
      for await (const { name, text } of stack.files()) watch.secrets.search(`the file ${name}`, text);
      const left = await waitForHosts(stack.pulumi);
      if (left.length > 0) book.violate('nothing keeps running', `the hosts ${left} outlive their commands`);
    }
  } finally {
    await world.end();
    for (const { pulumi, remove } of stacks) {
      await endHosts(pulumi);
      await remove();
    }
  }
  const violations = book.violations.map(describeViolation);
  for (const violation of violations) journal.note('VIOLATION', () => violation);
  return { seed, violations, counts: journal.counts, changed, story: journal.story };
}
