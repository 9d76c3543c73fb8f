import { describe, it } from 'vitest';
import { runScenario } from './run-scenario';

/** Fixed, so that a failure is a regression. `npm run chaos` runs many more. */
const seeds = [1, 2, 3];

describe.concurrent('chaos: after faults, kills and interruptions, one `up` reaches the declared state', () => {
  it.for(seeds)('chaos seed %d', async (seed, { expect }) => {
    const { violations } = await runScenario(seed);
    expect(violations).toEqual([]);
  });
});
