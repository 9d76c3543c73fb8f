import { expect, it } from 'vitest';
import { Coverage, observeDecide, observeDecisions, observeEvolve } from './coverage';

interface Situation {
  readonly left: number;
}
interface Event {
  readonly kind: string;
}

const decide = observeDecide(({ left }: Situation) => (left > 0 ? 'send' : 'done'));
const evolve = observeEvolve(({ left }: Situation, _event: Event): Situation => ({ left: left - 1 }));

/** A run of this many requests, as the provider's loop makes it. */
function run(left: number): void {
  for (let now: Situation = { left }; decide(now) !== 'done'; ) now = evolve(now, { kind: 'accepted' });
}

it('counts rows, transitions, and the events after each row', () => {
  const coverage = new Coverage();
  const end = observeDecisions((decision) => coverage.note(decision));
  run(2);
  run(1);
  end();
  run(5);
  expect(coverage.counts).toEqual(
    new Map([
      ['row send', 3],
      ['event send / accepted', 3],
      ['transition send > send', 1],
      ['row done', 2],
      ['transition send > done', 2],
    ]),
  );
});
