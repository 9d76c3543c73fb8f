import { Drawing } from './drawing';
import { type Scenario, scenario } from './scenario';

export const scenarioDrawing = new Drawing<Scenario>(scenario);

/** The scenario of a seed: the same one each time. */
export function drawScenario(seed: number) {
  return scenarioDrawing.draw(seed);
}
