import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import type { EndpointInputs } from './endpoint-inputs';
import { deriveEndpointName, hashName } from './endpoint-name';
import {
  findBranchEndpoint,
  findDuplicates,
  findExisting,
  findNamed,
  findOlderDuplicate,
  findOwn,
  toCreateTarget,
} from './existing-endpoint';

const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';
const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };
const derived = deriveEndpointName({ urn }, least) ?? '';

/** What the program declares: the derived name, unless told otherwise. */
const inputsOf = (change: Partial<EndpointInputs> = {}): EndpointInputs => ({
  ...least,
  name: derived,
  ...change,
});
const targetOf = (change: Partial<EndpointInputs> = {}, resource: object = { urn }) =>
  toCreateTarget({ resource, inputs: inputsOf(change) });

const own = endpointOf({ id: 'ep-own', name: derived });
const other = endpointOf({ id: 'ep-other', name: 'web' });
const replica = endpointOf({ id: 'ep-replica', name: 'reports', type: 'read_only' });

describe('toCreateTarget', () => {
  it('derives the name, also when the program gives a name of its own', () => {
    expect(targetOf({ name: 'web' }).derivedNames[0]).toBe(derived);
  });

  it('derives the names with and without the endpoint that is replaced', () => {
    const replaces = 'shop-prod-api-1a2b3c4d';
    const name = deriveEndpointName({ urn, replaces }, least);
    expect(targetOf({}, { urn, replaces }).derivedNames).toEqual([name, derived]);
  });

  it('leaves out the name of the endpoint that is replaced', () => {
    const target = targetOf({}, { urn, replaces: hashName(derived) });
    expect(target.derivedNames).toHaveLength(1);
    expect(findOwn(target, [own])).toBeUndefined();
  });

  it('derives no name without a URN', () => {
    expect(targetOf({}, {}).derivedNames).toEqual([]);
  });
});

describe('findOwn', () => {
  it('finds the oldest endpoint of the derived name', () => {
    const twins = [
      endpointOf({ id: 'ep-b', name: derived, created_at: '2026-01-02T00:00:00Z' }),
      endpointOf({ id: 'ep-c', name: derived, created_at: '2026-01-01T00:00:00Z' }),
      endpointOf({ id: 'ep-a', name: derived, created_at: '2026-01-01T00:00:00Z' }),
    ];
    expect(findOwn(targetOf(), [other, ...twins])?.id).toBe('ep-a');
  });

  it('finds nothing of a resource that is not known', () => {
    expect(findOwn(targetOf({}, {}), [own])).toBeUndefined();
  });
});

describe('findNamed', () => {
  it('finds the endpoint of the name that the program gives', () => {
    expect(findNamed(targetOf({ name: 'web' }), [own, other])).toBe(other);
  });

  it('finds nothing by the derived name', () => {
    expect(findNamed(targetOf(), [own])).toBeUndefined();
  });

  it('finds nothing when the program gives no name', () => {
    expect(findNamed(toCreateTarget({ resource: { urn }, inputs: least }), [own, other])).toBeUndefined();
  });
});

describe('findBranchEndpoint', () => {
  it('finds the read_write endpoint of the branch', () => {
    const elsewhere = endpointOf({ id: 'ep-elsewhere', branch_id: 'br-2' });
    expect(findBranchEndpoint(inputsOf(), [replica, elsewhere, other])).toBe(other);
  });

  it('finds nothing for a read_only endpoint, of which a branch may have several', () => {
    expect(findBranchEndpoint(inputsOf({ type: 'read_only' }), [other, replica])).toBeUndefined();
  });
});

describe('findExisting', () => {
  it('finds what an earlier create has made', () => {
    expect(findExisting(targetOf(), [other, own])).toEqual({ kind: 'own', endpoint: own });
    expect(findExisting(targetOf({ adopt: true }), [other, own])).toEqual({ kind: 'own', endpoint: own });
  });

  it('finds what an earlier create has made before it gave the name of the program', () => {
    expect(findExisting(targetOf({ name: 'api' }), [other, own])).toEqual({ kind: 'own', endpoint: own });
  });

  it('finds nothing among the endpoints of others', () => {
    expect(findExisting(targetOf(), [other, replica])).toBeUndefined();
  });

  it('adopts the endpoint of the branch when it is told to', () => {
    expect(findExisting(targetOf({ adopt: true }), [replica, other])).toEqual({
      kind: 'adopted',
      endpoint: other,
    });
  });

  it('adopts the endpoint of the given name before another one of the branch', () => {
    expect(
      findExisting(targetOf({ adopt: true, name: 'reports', type: 'read_only' }), [other, replica]),
    ).toEqual({ kind: 'adopted', endpoint: replica });
  });

  it('stops at an endpoint of the given name, and says that adopt takes it over', () => {
    expect(() => findExisting(targetOf({ name: 'web' }), [other])).toThrow(
      'create of endpoint "web": the project already has an endpoint of that name, ep-other (read_write, branch br-1, since 2026-01-01T00:00:00Z). ' +
        'adopt: true takes it over (also if an earlier `pulumi up` created it before it was killed); another name creates a new one.',
    );
  });

  it.each([
    ['on another branch', { branch_id: 'br-2' }],
    ['of another type', { type: 'read_only' }],
  ])('stops at an endpoint of the given name %s, also when it is told to adopt', (_what, change) => {
    const taken = endpointOf({ id: 'ep-other', name: 'web', ...change });
    expect(() => findExisting(targetOf({ name: 'web', adopt: true }), [taken])).toThrow(
      /Choose another name\.$/,
    );
  });

  it('stops at an endpoint of the derived name on another branch: it may be of another backend', () => {
    const elsewhere = endpointOf({ id: 'ep-own', name: derived, branch_id: 'br-2' });
    expect(() => findExisting(targetOf(), [elsewhere])).toThrow(
      `create of endpoint "${derived}": the project has an endpoint of the derived name on another branch, ep-own (branch br-2, since 2026-01-01T00:00:00Z). `,
    );
    expect(findExisting(targetOf({ adopt: true }), [elsewhere])).toEqual({
      kind: 'adopted',
      endpoint: elsewhere,
    });
  });
});

describe('a duplicate', () => {
  const duplicate = endpointOf({ id: 'ep-later', name: derived, created_at: '2026-01-02T00:00:00Z' });

  it('is every other endpoint of the derived name', () => {
    expect(findDuplicates(targetOf(), [own, duplicate, other], 'ep-own')).toEqual([duplicate]);
  });

  it('is found by the younger one, also when the older one has the name of the program already', () => {
    const renamed = endpointOf({ id: 'ep-own', name: 'api' });
    expect(findOlderDuplicate(targetOf({ name: 'api' }), [renamed, duplicate], duplicate)).toBe(renamed);
    expect(findOlderDuplicate(targetOf({ name: 'api' }), [renamed, duplicate], renamed)).toBeUndefined();
  });

  it('is decided by the id between two of the same age', () => {
    const twin = endpointOf({ id: 'ep-a', name: derived });
    expect(findOlderDuplicate(targetOf(), [own, twin], own)).toBe(twin);
    expect(findOlderDuplicate(targetOf(), [own, twin], twin)).toBeUndefined();
  });
});
