import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { EndpointList } from '../../provider/src/control-api/endpoint-list';
import { EndpointClaims } from '../../provider/src/endpoint/endpoint-claims';
import { drawScenario } from './draw-scenario';
import { Simulator } from './simulate';

/** Fixed, so that a failure is a regression. `npm run simulate` runs many more. */
const fixedSeeds = 20;
function install(): Simulator {
  const simulator = new Simulator();
  simulator.install();
  onTestFinished(() => simulator.uninstall());
  return simulator;
}

describe('simulation: random schedules of faults, kills and other people, in virtual time', () => {
  it('breaks no invariant with the fixed seeds', async () => {
    const simulator = install();
    for (let seed = 1; seed <= fixedSeeds; seed += 1) {
      const { violations } = await simulator.run(drawScenario(seed).value);
      expect(violations, `npm run simulate -- --seed ${seed}`).toEqual([]);
    }
  });

  it('tells the same story of the same seed, byte for byte', async () => {
    const simulator = install();
    for (const seed of [3, 7, 11]) {
      const { story } = await simulator.run(drawScenario(seed).value, true);
      const again = await simulator.run(drawScenario(seed).value, true);
      expect(again.story.join('\n')).toBe(story.join('\n'));
      expect(story.length).toBeGreaterThan(5);
    }
  });

  const faults = [
    [
      'a create that does not look for what an earlier one has left',
      () => {
        vi.spyOn(EndpointList.prototype, 'recent').mockResolvedValue([]);
      },
    ],
    [
      'a delete that forgets which endpoints the run has taken over',
      () => {
        vi.spyOn(EndpointClaims.prototype, 'keeperOf').mockReturnValue(undefined);
      },
    ],
  ] as const;

  it.for(faults)('finds %s', async ([, breakIt]) => {
    breakIt();
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const simulator = install();
    let found = false;
    for (let seed = 1; seed <= 1_500 && !found; seed += 1)
      found = (await simulator.run(drawScenario(seed).value)).violations.length > 0;
    expect(found).toBe(true);
  });
});
