import { describe, expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import { deriveName, hashName } from '../lifecycle/resource-name';
import { endpointArguments } from './endpoint-arguments';
import type { EndpointInputs } from './endpoint-inputs';
import { derivedNamesOf, describeDuplicates, findExisting, findNamed } from './existing-endpoint';

const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';
const least: EndpointInputs = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };
const derived = deriveName({ urn }, least, endpointArguments.replacing) ?? '';

/** What the program declares: the derived name, unless `change` sets another. */
const inputsOf = (change: Partial<EndpointInputs> = {}): EndpointInputs => ({
  ...least,
  name: derived,
  ...change,
});
const targetOf = (change: Partial<EndpointInputs> = {}, resource: object = { urn }) => ({
  resource,
  inputs: inputsOf(change),
});

const own = endpointOf({ id: 'ep-own', name: derived });
const other = endpointOf({ id: 'ep-other', name: 'web' });
const replica = endpointOf({ id: 'ep-replica', name: 'reports', type: 'read_only' });

describe('derivedNamesOf', () => {
  it('derives the name even when the program declares another one', () => {
    expect(derivedNamesOf(targetOf({ name: 'web' }))[0]).toBe(derived);
  });

  it.each([
    ['still has its name', (replaces: string) => ({ replaces })],
    ['has been renamed', () => ({ replaces: hashName('web') })],
    ['is gone', () => ({})],
  ])('finds the work of a killed replacement when the old one %s', (_what, now) => {
    const [killed] = derivedNamesOf({ resource: { urn, replaces: hashName(derived) }, inputs: least });
    expect(derivedNamesOf(targetOf({}, { urn, ...now(hashName(derived)) }))).toContain(killed);
  });

  it('omits the name of the replaced endpoint', () => {
    const target = targetOf({}, { urn, replaces: hashName(derived) });
    expect(derivedNamesOf(target)).toEqual([expect.not.stringMatching(derived)]);
  });

  it('derives no name without a URN', () => {
    expect(derivedNamesOf(targetOf({}, {}))).toEqual([]);
  });
});

describe('findNamed', () => {
  it.each([
    ['another branch', { branch_id: 'br-2', created_at: '2025-01-01T00:00:00Z' }],
    ['another type', { type: 'read_only', created_at: '2025-01-01T00:00:00Z' }],
    ['a later time', { created_at: '2027-01-01T00:00:00Z' }],
  ])('prefers the endpoint that a killed create may have left to one of %s', (_what, change) => {
    const foreign = endpointOf({ id: 'ep-foreign', name: 'web', ...change });
    expect(findNamed(targetOf({ name: 'web' }), [foreign, other])).toEqual([other, foreign]);
  });

  it('finds nothing when the declared name is the derived one', () => {
    expect(findNamed(targetOf(), [own])).toEqual([]);
  });

  it('finds nothing when the program declares no name', () => {
    expect(findNamed({ resource: { urn }, inputs: least }, [own, other])).toEqual([]);
  });
});

describe('findExisting', () => {
  it('finds the oldest endpoint with the derived name', () => {
    const candidates = [
      endpointOf({ id: 'ep-b', name: derived, created_at: '2026-01-02T00:00:00Z' }),
      endpointOf({ id: 'ep-c', name: derived, created_at: '2026-01-01T00:00:00Z' }),
      endpointOf({ id: 'ep-a', name: derived, created_at: '2026-01-01T00:00:00Z' }),
    ];
    expect(findExisting(targetOf(), [other, ...candidates])?.item.id).toBe('ep-a');
  });

  it('finds the endpoint of an earlier create', () => {
    expect(findExisting(targetOf(), [other, own])).toEqual({ origin: 'own', item: own });
    expect(findExisting(targetOf({ adopt: true }), [other, own])).toEqual({ origin: 'own', item: own });
  });

  it('finds the endpoint of an earlier create that did not rename it yet', () => {
    expect(findExisting(targetOf({ name: 'api' }), [other, own])).toEqual({ origin: 'own', item: own });
  });

  it.each([{ adopt: true }, {}])(
    'refuses a taken name although an earlier create left an orphan: %j',
    (change) => {
      expect(() => findExisting(targetOf({ name: 'web', ...change }), [other, own])).toThrow(
        /ep-other .* Choose another name for ep-own, which an earlier `pulumi up` created\.$/,
      );
    },
  );

  it('ignores the endpoints of other resources', () => {
    expect(findExisting(targetOf(), [other, replica])).toBeUndefined();
  });

  it('adopts the endpoint of the branch with adopt: true', () => {
    expect(findExisting(targetOf({ adopt: true }), [replica, other])).toEqual({
      origin: 'adopted',
      item: other,
    });
  });

  it("adopts the endpoint with the declared name before the branch's", () => {
    expect(
      findExisting(targetOf({ adopt: true, name: 'reports', type: 'read_only' }), [other, replica]),
    ).toEqual({ origin: 'adopted', item: replica });
  });

  it('refuses an endpoint with the declared name, and suggests adopt: true', () => {
    expect(() => findExisting(targetOf({ name: 'web' }), [other])).toThrow(
      'create of endpoint "web": the project already has an endpoint of that name, ep-other (read_write, branch br-1, created 2026-01-01T00:00:00Z). ' +
        'adopt: true takes over ep-other (also if an earlier `pulumi up` created it before it was killed); another name creates a new one.',
    );
  });

  it('names every endpoint with the declared name', () => {
    const late = endpointOf({ id: 'ep-late', name: 'web', created_at: '2026-01-02T00:00:00Z' });
    expect(() => findExisting(targetOf({ name: 'web' }), [late, other])).toThrow(
      /endpoints of that name: ep-other \(.*\), ep-late \(.*\)\. adopt: true takes over ep-other .*delete or import it\.$/,
    );
  });

  it.each([
    ['on another branch', { branch_id: 'br-2' }],
    ['of another type', { type: 'read_only' }],
  ])('refuses an endpoint with the declared name %s, even with adopt: true', (_what, change) => {
    const taken = endpointOf({ id: 'ep-other', name: 'web', ...change });
    expect(() => findExisting(targetOf({ name: 'web', adopt: true }), [taken])).toThrow(
      /With its branch and type, adopt: true takes it over; another name creates a new one\.$/,
    );
  });

  it('adopts a derived name on another branch only with adopt: true', () => {
    const elsewhere = endpointOf({ id: 'ep-own', name: derived, branch_id: 'br-2' });
    expect(() => findExisting(targetOf(), [elsewhere])).toThrow(
      `create of endpoint "${derived}": the project has an endpoint of the derived name on another branch, ep-own (branch br-2, created 2026-01-01T00:00:00Z). `,
    );
    expect(findExisting(targetOf({ adopt: true }), [elsewhere])).toEqual({
      origin: 'adopted',
      item: elsewhere,
    });
  });
});

describe('describeDuplicates', () => {
  it('names each duplicate, and the command that deletes it', () => {
    const late = endpointOf({ id: 'ep-late', name: derived });
    const declaration = { resource: { urn }, inputs: inputsOf({ name: 'web' }) };
    expect(describeDuplicates(declaration, [own, late, other], 'ep-own')).toEqual([
      'endpoint ep-late (created 2026-01-01T00:00:00Z) is a duplicate: it has the derived name of this resource, but is not in this state. If no other run or stack uses it, `postgres-compute endpoints delete ep-late --project p-1` deletes it',
    ]);
  });

  it('names what a replacement by the other type has left', () => {
    const [name] = derivedNamesOf(targetOf({ type: 'read_only' }));
    const left = endpointOf({ id: 'ep-left', name, type: 'read_only' });
    const declaration = { resource: { urn }, inputs: inputsOf() };
    expect(describeDuplicates(declaration, [own, left, other], 'ep-own').join()).toContain('ep-left');
  });
});
