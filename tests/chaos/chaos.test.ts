import { describe, it } from 'vitest';
import { doorNames } from '../support/program-doors';
import { runScenario } from './run-scenario';

/** Fixed, so that a failure is a regression. `npm run chaos` runs many more. */
const seeds = [1, 2, 3];

describe.concurrent('chaos: after faults, kills and interruptions, one `up` reaches the declared state', () => {
  const cases = doorNames.flatMap((door) => seeds.map((seed) => [door, seed] as const));
  it.for(cases)('the %s door, chaos seed %d', async ([door, seed], { expect }) => {
    const { violations } = await runScenario(seed, door);
    expect(violations).toEqual([]);
  });
});
