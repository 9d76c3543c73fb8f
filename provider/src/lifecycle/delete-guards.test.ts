import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../control-api/wire-types';
import { type DeleteFacts, foreseenGuards, judgeDelete, type StandingEndpoint } from './delete-guards';

const subject = { action: 'delete', kind: 'branch', id: 'br-1' } as const;

/** An endpoint on the branch. Its other attributes decide nothing. */
function standing(current_state: string, keeper?: string): readonly StandingEndpoint[] {
  return [{ endpoint: { id: 'ep-1', type: 'read_only', current_state } as Endpoint, keeper }];
}

/** In the order in which they are judged. */
const forbidding: readonly [fact: Partial<DeleteFacts>, reason: RegExp][] = [
  [{ isIncomplete: true }, /^its replacement is not complete, so the resource may still use it/],
  [{ adopter: 'urn:new' }, /^urn:new is to adopt it, and has not taken it over.* use `aliases`/],
  [{ unallowed: 'allowDataLoss' }, /has another one in its place .* and allowDataLoss is not true/],
  [
    { obstacle: 'it is taken.' },
    /^its replacement could not be created, so it was not deleted: it is taken\.$/,
  ],
  [{ baseObstacle: 'it has children.' }, /^it is replaced with its branch, which can't be deleted: it has c/],
  [{ protectedBranch: 'br-2' }, /^branch br-2 is protected\..* in an earlier `pulumi up --refresh`/],
  [{ permanent: 'a root branch' }, /^it is a root branch, which the service does not delete/],
  [{ named: ['urn:role', 'urn:db'] }, /^urn:role, urn:db, which this program keeps, would be deleted with/],
  [
    { standing: standing('idle', 'urn:e') },
    /^endpoint ep-1 \(read_only, idle, of urn:e\), which this program keeps/,
  ],
  [
    { children: ['br-3', 'br-4'] },
    /^other branches were created from it: br-3, br-4\..* Delete them first\.$/,
  ],
  [{ standing: standing('active') }, /^endpoint ep-1 \(read_only, active\), .* and allowRestart is false/],
  [
    { standing: standing('idle'), foreseen: [] },
    /^endpoint ep-1 .* added after this run first checked the branch/,
  ],
];

const judge = (facts: readonly Partial<DeleteFacts>[], guards?: Parameters<typeof judgeDelete>[1]) =>
  judgeDelete(Object.assign({ subject }, ...facts), guards)?.replace('delete of branch br-1: ', '');

describe('a delete', () => {
  it.each(forbidding.map(([, reason], index) => [reason, index] as const))(
    'is refused for the first of its reasons: %s',
    (reason, index) => {
      const facts = forbidding.slice(index).map(([fact]) => fact);
      expect(judge(facts.reverse())).toMatch(reason);
      expect(judge(facts.slice(-1))).toMatch(/it was not deleted|can't be deleted/i);
    },
  );

  it.each<Partial<DeleteFacts>>([
    {},
    { standing: standing('active'), allowsRestart: true },
    { standing: standing('idle'), allowsRestart: false },
    { standing: standing('idle'), foreseen: ['ep-1'] },
  ])('is allowed for %j', (fact) => {
    expect(judge([fact])).toBeUndefined();
  });

  it('is judged in a preview by the foreseen guards only', () => {
    const isForeseen = forbidding.map(([fact]) => judge([fact], foreseenGuards) !== undefined);
    expect(isForeseen.flatMap((is, index) => (is ? [index] : []))).toEqual([5, 6, 7, 8]);
  });
});
