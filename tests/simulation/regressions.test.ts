import { describe, expect, it, onTestFinished } from 'vitest';
import { branches } from './regressions/branches';
import { creates } from './regressions/creates';
import { failedOperations } from './regressions/failed-operations';
import { plan, type Regression } from './regressions/parts';
import { withoutWaiting } from './regressions/without-waiting';
import { Simulator } from './run/simulate';
import { uneventful } from './scenario/draw-rounds';
import { drawScenario } from './scenario/draw-scenario';
import type { Scenario } from './scenario/scenario';

function toScenario({ service, rounds, longestDelayMs = 20, scenario }: Regression): Scenario {
  return {
    ...drawScenario(1).value,
    service,
    requestsPerMinute: undefined,
    longestPage: undefined,
    longestDelayMs,
    timeoutSeconds: 600,
    areDependent: false,
    rounds: rounds.map((round) => ({ ...uneventful, slots: [plan], ...round })),
    ...scenario,
  };
}

describe.each(Object.entries({ creates, failedOperations, withoutWaiting, branches }))(
  'schedules that once broke a rule: %s',
  (_group, regressions) => {
    it.each(Object.entries(regressions))('%s', async (_name, regression) => {
      const { seeds = 4 } = regression;
      const simulator = new Simulator();
      simulator.install();
      onTestFinished(() => simulator.uninstall());
      for (let seed = 1; seed <= seeds; seed += 1) {
        const { violations } = await simulator.run({ ...toScenario(regression), seed });
        expect(violations, `seed ${seed}`).toEqual([]);
      }
    });
  },
);
