import { describe, it } from 'vitest';
import { runScenario } from './run-scenario';

describe.concurrent('chaos: schedules of the simulation break no rule with the real CLI', () => {
  // A killed create of a branch, and a branch with an endpoint under faults. The nightly workflow runs many more through both.
  it.for([
    ['plugin', 3],
    ['dynamic', 5],
  ] as const)('the %s door, seed %d', async ([door, seed], { expect }) => {
    const { violations } = await runScenario(seed, door);
    expect(violations).toEqual([]);
  });
});
