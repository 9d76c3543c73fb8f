import { describe, expect, it } from 'vitest';
import { unknownValue } from './input-values';
import { deriveName } from './resource-name';

const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';

const least = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' };

/** As of an endpoint. */
const deriveEndpointName = (resource: object, inputs: object) =>
  deriveName(resource, { ...inputs }, ['projectId', 'type', 'regionId', 'provisioner']);

describe('deriveName', () => {
  it('joins project, stack, resource name and a short hash', () => {
    expect(deriveEndpointName({ urn }, { projectId: 'p-1' })).toMatch(/^shop-prod-api-[0-9a-f]{8}$/);
  });

  it('returns the name of release 0.1.0 in the default organization', () => {
    expect(deriveEndpointName({ urn }, least)).toBe('shop-prod-api-d3620e05');
    const identity = { urn, organization: undefined, replaces: undefined };
    expect(deriveEndpointName(identity, least)).toBe('shop-prod-api-d3620e05');
  });

  it('returns another name when a replacing argument differs', () => {
    expect(deriveEndpointName({ urn }, { projectId: 'p-1' })).not.toBe(
      deriveEndpointName({ urn }, { projectId: 'p-2' }),
    );
  });

  it('returns different names under different parents', () => {
    const child = urn.replace('::pulumi-nodejs', '::my:Cluster$pulumi-nodejs');
    expect(deriveEndpointName({ urn: child }, {})).not.toBe(deriveEndpointName({ urn }, {}));
  });

  it('returns different names by organization, and for a replacement', () => {
    const names = [
      {},
      { organization: 'acme' },
      { organization: 'umbrella' },
      { replaces: 'acme' },
      { replaces: 'umbrella' },
      { organization: 'acme', replaces: 'acme' },
    ].map((identity) => deriveEndpointName({ urn, ...identity }, { projectId: 'p-1' }));
    expect(new Set(names).size).toBe(names.length);
  });

  it('returns at most 64 characters, including the complete hash', () => {
    const name = deriveEndpointName({ urn: urn.replace('::api', `::${'long-'.repeat(30)}`) }, {});
    expect(name).toMatch(/^shop-prod-long.*-[0-9a-f]{8}$/);
    expect(name).toHaveLength(64);
  });

  it('keeps the part of a resource name after a double colon', () => {
    expect(deriveEndpointName({ urn: `${urn}::blue` }, {})).toMatch(/^shop-prod-api-blue-[0-9a-f]{8}$/);
  });

  it('is unknown while an argument that forces a replacement is unknown', () => {
    expect(deriveEndpointName({ urn, organization: 'acme' }, { projectId: 'p-1', type: unknownValue })).toBe(
      unknownValue,
    );
  });

  it('returns the same name when a change keeps the endpoint', () => {
    const moved = { ...least, branchId: 'br-2', disabled: true };
    expect(deriveEndpointName({ urn }, moved)).toBe(deriveEndpointName({ urn }, least));
  });

  it('returns no name without a URN', () => {
    expect(deriveEndpointName({}, least)).toBeUndefined();
  });
});
