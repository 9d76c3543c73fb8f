import { describe, it } from 'vitest';
import { runScenario } from './run-scenario';

/** Drawn once, so that a red run can be told from an unlucky one; `npm run chaos` goes through many more. */
const seeds = [1, 2, 3];

describe.concurrent('after faults, kills and interruptions, one more `up` ends in the declared state', () => {
  it.for(seeds)('seed %d', async (seed, { expect }) => {
    const { violations } = await runScenario(seed);
    expect(violations).toEqual([]);
  });
});
