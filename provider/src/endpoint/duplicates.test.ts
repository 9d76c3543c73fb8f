import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { findDuplicates, findOlderDuplicate } from './duplicates';

const derived = 'shop-prod-api-1a2b3c4d';
const inputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' as const };
const target = { inputs, derivedNames: [derived], createsBeforeDelete: false };

const own = endpointOf({ id: 'ep-own', name: derived });
const other = endpointOf({ id: 'ep-other', name: 'web' });

describe('a duplicate', () => {
  const duplicate = endpointOf({ id: 'ep-later', name: derived, created_at: '2026-01-02T00:00:00Z' });

  it('is every younger endpoint with the derived name', () => {
    expect(findDuplicates(target, [own, duplicate, other], 'ep-own')).toEqual([duplicate]);
  });

  it('is never the older one, and none by a list without the endpoint that stays', () => {
    expect(findDuplicates(target, [own, duplicate], 'ep-later')).toEqual([]);
    expect(findDuplicates(target, [duplicate], 'ep-own')).toEqual([]);
  });

  it.each(['', 'yesterday'])('is neither of two whose age is unknown: "%s"', (created_at) => {
    const two = ['ep-a', 'ep-b'].map((id) => endpointOf({ id, name: derived, created_at }));
    expect(two.flatMap(({ id }) => findDuplicates(target, two, id))).toEqual([]);
  });

  it('is not the endpoint itself, whose response told a later time than the list', () => {
    const created = endpointOf({ id: 'ep-own', name: derived, created_at: '2026-01-01T00:00:00.7Z' });
    expect(findOlderDuplicate(target, [own], created)).toBeUndefined();
    const younger = endpointOf({ id: 'ep-z', name: derived, created_at: '2026-01-01T00:00:00Z' });
    expect(findOlderDuplicate(target, [own, younger], created)).toBeUndefined();
    expect(findOlderDuplicate(target, [own, younger], younger)).toBe(own);
  });

  it('is the younger endpoint, even when the older one already has the declared name', () => {
    const renamed = endpointOf({ id: 'ep-own', name: 'api' });
    expect(
      findOlderDuplicate({ ...target, inputs: { ...inputs, name: 'api' } }, [renamed, duplicate], duplicate),
    ).toBe(renamed);
    expect(
      findOlderDuplicate({ ...target, inputs: { ...inputs, name: 'api' } }, [renamed, duplicate], renamed),
    ).toBeUndefined();
  });

  it('is the endpoint with the higher id when both have the same age', () => {
    const sameAge = endpointOf({ id: 'ep-a', name: derived });
    expect(findOlderDuplicate(target, [own, sameAge], own)).toBe(sameAge);
    expect(findOlderDuplicate(target, [own, sameAge], sameAge)).toBeUndefined();
  });
});
