import { beforeAll, it } from 'vitest';
import type { AgreementScenario } from '../simulation/engine/agreement/agreement-scenario';
import { findDifferences } from '../simulation/engine/agreement/find-differences';
import { runReal } from '../simulation/engine/agreement/real-side';
import { allScenarios } from '../simulation/engine/agreement/scenarios/all-scenarios';
import { runSimulated } from '../simulation/engine/agreement/simulated-side';
import type { StepTranscript } from '../simulation/engine/agreement/transcript';

/** `npm run simulate:agreement` runs them all. */
const mostTelling = [
  'an update that fails, followed by another change of a secret',
  'a create, an update, a replacement and a delete in one run',
  '--continue-on-error: a new resource that depends on what fails takes the place of another',
];
const simulated = new Map<string, StepTranscript[]>();

function find(name: string): AgreementScenario {
  const scenario = allScenarios.find((each) => each.name === name);
  if (!scenario) throw new Error(`no scenario is called ${name}`);
  return scenario;
}

// First, because a simulation changes the clock of the whole process.
beforeAll(async () => {
  for (const name of mostTelling) simulated.set(name, await runSimulated(find(name)));
});

it.concurrent.for(mostTelling)(
  'the simulated engine and the real one agree about %s',
  async (name, context) => {
    const real = await runReal(find(name));
    context.expect(findDifferences(find(name), simulated.get(name) ?? [], real)).toEqual([]);
  },
);
