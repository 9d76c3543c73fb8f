import { describe, it } from 'vitest';
import { doorNames } from '../support/program-doors';
import { runScenario } from './run-scenario';

/** A killed create of a branch, and a branch with an endpoint under faults. `npm run chaos` runs many more. */
const seeds = [3, 5];

describe.concurrent('chaos: schedules of the simulation break no rule with the real CLI', () => {
  const cases = doorNames.flatMap((door) => seeds.map((seed) => [door, seed] as const));
  it.for(cases)('the %s door, seed %d', async ([door, seed], { expect }) => {
    const { violations } = await runScenario(seed, door);
    expect(violations).toEqual([]);
  });
});
