import { expect, it } from 'vitest';
import { findDifferences } from '../simulation/agreement/find-differences';
import { runReal } from '../simulation/agreement/real-side';
import { allScenarios } from '../simulation/agreement/scenarios/all-scenarios';
import { runSimulated } from '../simulation/agreement/simulated-side';

/** `npm run simulate:agreement` runs them all. */
const mostTelling = [
  'an update that fails, followed by another change of a secret',
  'a create that fails, and a refresh',
  'a replacement whose create is refused twice, and that is taken back',
  'an import with an update',
  'a create, an update, a replacement and a delete in one run',
];

it.for(mostTelling)('the simulated engine and the real one agree about %s', async (name) => {
  const scenario = allScenarios.find((each) => each.name === name);
  if (!scenario) throw new Error(`no scenario is called ${name}`);
  const simulated = await runSimulated(scenario);
  expect(findDifferences(scenario, simulated, await runReal(scenario))).toEqual([]);
});
