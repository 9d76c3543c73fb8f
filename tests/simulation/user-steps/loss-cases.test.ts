import { describe, expect, it } from 'vitest';
import { Simulator } from '../run/simulate';
import { lossCases } from './loss-cases';

describe('ordinary steps that lost data', () => {
  it.each(lossCases)('break no rule: $name', async (schedule) => {
    const simulator = new Simulator();
    simulator.install();
    try {
      const { violations } = await simulator.runUser(schedule);
      expect(violations).toEqual([]);
    } finally {
      simulator.uninstall();
    }
  });
});
