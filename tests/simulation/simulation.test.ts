import { describe, expect, it, onTestFinished } from 'vitest';
import { Simulator } from './run/simulate';
import { drawScenario } from './scenario/draw-scenario';
import { namedDrawing } from './user-steps/draw-named-schedule';

/** Fixed, so that a failure is a regression. `npm run simulate` runs many more. */
const fixedSeeds = 20;

function install(): Simulator {
  const simulator = new Simulator();
  simulator.install();
  onTestFinished(() => simulator.uninstall());
  return simulator;
}

describe('simulation: random schedules in virtual time', () => {
  it('breaks no invariant with the fixed seeds', async () => {
    const simulator = install();
    for (let seed = 1; seed <= fixedSeeds; seed += 1) {
      const { violations } = await simulator.run(drawScenario(seed).value);
      expect(violations, `npm run simulate -- --seed ${seed}`).toEqual([]);
    }
  });

  it('loses no database without a word with the fixed seeds', async () => {
    const simulator = install();
    for (let seed = 7; seed <= 15 * fixedSeeds; seed += 15) {
      const { violations } = await simulator.runUser(namedDrawing.draw(seed).value);
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
});
