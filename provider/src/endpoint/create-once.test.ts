import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import {
  findBranchEndpoint,
  findExisting,
  findNamed,
  findOwn,
  nameAtCreation,
  namesAtCreation,
} from './create-once';
import type { EndpointInputs } from './endpoint-inputs';
import { hashName } from './endpoint-name';

const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';
const derived = nameAtCreation({ projectId: 'p-1', branchId: 'br-1', type: 'read_write', __urn: urn });

/** What the program declares: the derived name, unless told otherwise. */
const inputsOf = (change: Partial<EndpointInputs> = {}): EndpointInputs => ({
  projectId: 'p-1',
  branchId: 'br-1',
  type: 'read_write',
  name: derived,
  __urn: urn,
  ...change,
});

const own = endpointOf({ id: 'ep-own', name: derived });
const other = endpointOf({ id: 'ep-other', name: 'web' });
const replica = endpointOf({ id: 'ep-replica', name: 'reports', type: 'read_only' });

describe('nameAtCreation', () => {
  it('is the derived name, also when the program gives a name of its own', () => {
    expect(nameAtCreation(inputsOf({ name: 'web' }))).toBe(derived);
  });

  it('is the given name where there is no URN to derive one from', () => {
    const { __urn: _, ...inputs } = inputsOf({ name: 'web' });
    expect(nameAtCreation(inputs)).toBe('web');
  });

  it('can not be made without a name and a URN', () => {
    const { __urn: _, name: __, ...inputs } = inputsOf();
    expect(() => nameAtCreation(inputs)).toThrow(
      'create of an endpoint: it has neither a name nor a URN to derive one from.',
    );
  });
});

describe('namesAtCreation', () => {
  it('are the derived name with and without the endpoint that is replaced', () => {
    const inputs = inputsOf({ __replaces: 'shop-prod-api-1a2b3c4d' });
    expect(namesAtCreation(inputs)).toEqual([nameAtCreation(inputs), derived]);
  });

  it('never are the name of the endpoint that is replaced', () => {
    const inputs = inputsOf({ __replaces: hashName(derived) });
    expect(namesAtCreation(inputs)).toEqual([nameAtCreation(inputs)]);
    expect(findOwn(inputs, [own])).toBeUndefined();
  });
});

describe('findOwn', () => {
  it('finds the oldest endpoint of the derived name', () => {
    const twins = [
      endpointOf({ id: 'ep-b', name: derived, created_at: '2026-01-02T00:00:00Z' }),
      endpointOf({ id: 'ep-c', name: derived, created_at: '2026-01-01T00:00:00Z' }),
      endpointOf({ id: 'ep-a', name: derived, created_at: '2026-01-01T00:00:00Z' }),
    ];
    expect(findOwn(inputsOf(), [other, ...twins])?.id).toBe('ep-a');
  });

  it('finds nothing of a resource that is not known', () => {
    const { __urn: _, ...inputs } = inputsOf();
    expect(findOwn(inputs, [own])).toBeUndefined();
  });
});

describe('findNamed', () => {
  it('finds the endpoint of the name that the program gives', () => {
    expect(findNamed(inputsOf({ name: 'web' }), [own, other])).toBe(other);
  });

  it('finds nothing by the derived name', () => {
    expect(findNamed(inputsOf(), [own])).toBeUndefined();
  });

  it('finds nothing when the program gives no name', () => {
    const { name: _, ...inputs } = inputsOf();
    expect(findNamed(inputs, [own, other])).toBeUndefined();
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
    expect(findExisting(inputsOf(), [other, own])).toEqual({ kind: 'own', endpoint: own });
    expect(findExisting(inputsOf({ adopt: true }), [other, own])).toEqual({ kind: 'own', endpoint: own });
  });

  it('finds what an earlier create has made before it gave the name of the program', () => {
    const inputs = inputsOf({ name: 'api' });
    expect(findExisting(inputs, [other, own])).toEqual({ kind: 'own', endpoint: own });
  });

  it('finds nothing among the endpoints of others', () => {
    expect(findExisting(inputsOf(), [other, replica])).toBeUndefined();
  });

  it('adopts the endpoint of the branch when it is told to', () => {
    const inputs = inputsOf({ adopt: true });
    expect(findExisting(inputs, [replica, other])).toEqual({ kind: 'adopted', endpoint: other });
  });

  it('adopts the endpoint of the given name before another one of the branch', () => {
    const inputs = inputsOf({ adopt: true, name: 'reports', type: 'read_only' });
    expect(findExisting(inputs, [other, replica])).toEqual({ kind: 'adopted', endpoint: replica });
  });

  it('stops at an endpoint of the given name, and says that adopt takes it over', () => {
    expect(() => findExisting(inputsOf({ name: 'web' }), [other])).toThrow(
      'create of endpoint "web": the project already has an endpoint of that name, ep-other (read_write, branch br-1, since 2026-01-01T00:00:00Z). ' +
        'adopt: true takes it over (also when it is what an earlier `pulumi up` made before it was killed); another name makes a new one.',
    );
  });

  it.each([
    ['on another branch', { branch_id: 'br-2' }],
    ['of another type', { type: 'read_only' }],
  ])('stops at an endpoint of the given name %s, also when it is told to adopt', (_what, change) => {
    const taken = endpointOf({ id: 'ep-other', name: 'web', ...change });
    expect(() => findExisting(inputsOf({ name: 'web', adopt: true }), [taken])).toThrow(
      /Choose another name\.$/,
    );
  });

  it('stops at an endpoint of the derived name on another branch: it may be of another backend', () => {
    const elsewhere = endpointOf({ id: 'ep-own', name: derived, branch_id: 'br-2' });
    expect(() => findExisting(inputsOf(), [elsewhere])).toThrow(
      `create of endpoint "${derived}": the project has an endpoint of the derived name on another branch, ep-own (branch br-2, since 2026-01-01T00:00:00Z). `,
    );
    expect(findExisting(inputsOf({ adopt: true }), [elsewhere])).toEqual({
      kind: 'adopted',
      endpoint: elsewhere,
    });
  });
});
