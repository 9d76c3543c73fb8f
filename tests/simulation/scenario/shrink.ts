import type fc from 'fast-check';
import type { Rule } from '../rules/rules';
import type { Outcome } from '../run/simulate';
import type { Drawing } from './drawing';

/** How many smaller scenarios to try in all. */
const mostTries = 1_500;

/** The smallest data found that still break the rule. */
export async function shrink<Data>(
  drawing: Drawing<Data>,
  failing: fc.Value<Data>,
  broken: Rule,
  run: (data: Data) => Promise<Outcome>,
): Promise<Data> {
  let smallest = failing;
  let tries = 0;
  const findSmaller = async () => {
    for (const smaller of drawing.smaller(smallest)) {
      if (tries >= mostTries) return undefined;
      tries += 1;
      const { violations } = await run(smaller.value);
      if (violations.some(({ rule }) => rule === broken)) return smaller;
    }
    return undefined;
  };
  for (let smaller = await findSmaller(); smaller; smaller = await findSmaller()) smallest = smaller;
  return smallest.value;
}
