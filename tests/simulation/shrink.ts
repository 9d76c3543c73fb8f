import { type DrawnScenario, smallerScenarios } from './draw-scenario';
import type { Rule } from './rules';
import type { Outcome } from './simulate';

/** How many smaller scenarios to try in all. */
const mostTries = 1_500;

/** The smallest scenario found that still breaks the rule. */
export async function shrink(
  failing: DrawnScenario,
  broken: Rule,
  run: (drawn: DrawnScenario) => Promise<Outcome>,
): Promise<DrawnScenario> {
  let smallest = failing;
  let tries = 0;
  const findSmaller = async () => {
    for (const smaller of smallerScenarios(smallest)) {
      if (tries >= mostTries) return undefined;
      tries += 1;
      const { violations } = await run(smaller);
      if (violations.some(({ rule }) => rule === broken)) return smaller;
    }
    return undefined;
  };
  for (let smaller = await findSmaller(); smaller; smaller = await findSmaller()) smallest = smaller;
  return smallest;
}
