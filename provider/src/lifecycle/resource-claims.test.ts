import { describe, expect, it } from 'vitest';
import { unknownValue } from './input-values';
import { ResourceClaims } from './resource-claims';
import { UnsettledError } from './resource-errors';
import type { Properties } from './resource-identity';

const unchanged: Parameters<ResourceClaims['noteDiff']>[3] = { replaces: [], hasChanges: false };
const replaced = { replaces: ['type'], hasChanges: true };

/** What the engine passes of a resource. */
const given = (urn: string, inputs: Properties = {}, createsBeforeDelete = false) => ({
  resource: { urn, createsBeforeDelete },
  inputs: { projectId: 'p', ...inputs },
});

/** The calls of a run, by the name of each. */
function startRun() {
  const claims = new ResourceClaims('endpoint');
  return {
    claims,
    declare: (urn: string, inputs: Properties = {}, createsBeforeDelete = false) =>
      claims.noteCheck(undefined, given(urn, inputs, createsBeforeDelete)),
    /** A resource in state, as the engine checks and compares it. */
    compare: (urn: string, id: string, diff = unchanged) => {
      claims.noteCheck(given(urn), given(urn));
      claims.noteDiff(id, given(urn), given(urn), diff);
    },
    /** The engine asks about it before it passes the declaration. */
    askEarly: (urn: string, id: string) => claims.noteDiff(id, given(urn), given(urn), replaced),
    fail: (urn: string, error = new Error('refused')) =>
      claims.noteCreate(urn, () => Promise.reject(error)).catch(() => {}),
    lookUp: (urn: string, id: string) => claims.noteRead(id, { ...given(urn), outputs: {} }),
  };
}

describe('an adopter', () => {
  const known = { projectId: 'p', names: ['api', 'renamed'], branchIds: ['br-1'] };
  it.each<[Properties, boolean]>([
    [{ name: 'api' }, true],
    [{ name: 'renamed' }, true],
    [{ name: unknownValue }, true],
    [{ name: 'api', projectId: unknownValue }, true],
    [{ type: 'read_write', branchId: 'br-1' }, true],
    [{ type: 'read_write', branchId: unknownValue }, true],
    [{ type: 'read_only', branchId: 'br-1' }, false],
    [{ type: 'read_write', branchId: 'br-2' }, false],
    [{ name: 'other' }, false],
    [{ name: 'api', projectId: 'q' }, false],
    [{ name: 'api', adopt: false }, false],
  ])('with %j is that of the endpoint: %s', (inputs, expected) => {
    const { claims, declare } = startRun();
    declare('urn:new', { adopt: true, ...inputs });
    expect(claims.findAdopter(known, 'urn:old')).toBe(expected ? 'urn:new' : undefined);
  });

  it('is one while its create has failed, and none if it is in state', async () => {
    const { claims, declare, fail } = startRun();
    const adopting = { adopt: true, name: 'api' };
    claims.noteCheck(given('urn:kept', adopting), given('urn:kept', adopting));
    expect(claims.findAdopter(known, 'urn:old')).toBeUndefined();
    declare('urn:new', adopting);
    await fail('urn:new');
    expect(claims.findAdopter(known, 'urn:old')).toBe('urn:new');
  });

  it('keeps nothing that its create has taken over before it failed', async () => {
    const { claims, declare, fail } = startRun();
    declare('urn:new');
    claims.claimCreated('ep-1', given('urn:new'));
    expect(claims.keeperOf('ep-1', 'urn:old')).toBe('urn:new');
    await fail('urn:new');
    expect(claims.keeperOf('ep-1', 'urn:old')).toBeUndefined();
  });
});

describe('a delete', () => {
  it.each<[string, (run: ReturnType<typeof startRun>) => void, string | undefined]>([
    ['is not in the program', () => {}, undefined],
    ['the program compares', ({ compare }) => compare('urn:a', 'ep-1'), 'urn:a'],
    ['the program looks up', ({ lookUp }) => lookUp('urn:a', 'ep-1'), 'urn:a'],
    ['is replaced', ({ compare }) => compare('urn:a', 'ep-1', replaced), undefined],
    ['is asked about early, and not declared', ({ askEarly }) => askEarly('urn:a', 'ep-1'), undefined],
    [
      'is replaced by force',
      ({ compare, declare }) => {
        compare('urn:a', 'ep-1');
        declare('urn:a');
      },
      undefined,
    ],
  ])('that %s goes on, unless that keeps it', (_what, call, keeper) => {
    const run = startRun();
    call(run);
    expect(run.claims.keeperOf('ep-1', 'urn:a')).toBe(keeper);
  });

  it.each([true, false])('waits for a create that comes first: %s', async (createsBeforeDelete) => {
    const { claims, declare, fail } = startRun();
    declare('urn:a', {}, createsBeforeDelete);
    expect(claims.isIncomplete('urn:a')).toBe(createsBeforeDelete);
    await fail('urn:a');
    expect(claims.isIncomplete('urn:a')).toBe(true);
    claims.claimCreated('ep-1', given('urn:a'));
    expect(claims.isIncomplete('urn:a')).toBe(false);
    await fail('urn:a', new UnsettledError('its operation failed', 'ep-1', {}));
    expect(claims.isIncomplete('urn:a')).toBe(true);
  });

  it.each<[string, (run: ReturnType<typeof startRun>) => void, boolean]>([
    ['looks up another id', ({ lookUp }) => lookUp('urn:a', 'ep-2'), true],
    ['has another id in state', ({ compare }) => compare('urn:a', 'ep-2'), true],
    ['looks up the same id', ({ lookUp }) => lookUp('urn:a', 'ep-1'), false],
    ['creates it', ({ declare }) => declare('urn:a'), false],
    ['has none', () => {}, false],
  ])('of a resource whose program %s has another in its place: %s', (_what, call, expected) => {
    const run = startRun();
    call(run);
    expect(run.claims.hasOther('ep-1', 'urn:a')).toBe(expected);
  });
});

it('a resource uses what it has in state until its replacement is created', () => {
  const { claims, compare, declare } = startRun();
  compare('urn:a', 'ep-1', replaced);
  declare('urn:a');
  expect(claims.userOf('ep-1')).toBe('urn:a');
  claims.claimCreated('ep-2', given('urn:a'));
  expect(claims.userOf('ep-1')).toBeUndefined();
});

it('a resource takes over nothing that another one keeps or has created', () => {
  const { claims, compare, declare } = startRun();
  compare('urn:a', 'ep-1');
  declare('urn:b');
  const taken = 'endpoint ep-1 already belongs to urn:a';
  expect(() => claims.claimCreated('ep-1', given('urn:b'))).toThrow(taken);
  expect(() => compare('urn:b', 'ep-1')).toThrow(taken);
});
