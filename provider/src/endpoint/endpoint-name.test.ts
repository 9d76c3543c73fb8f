import { describe, expect, it } from 'vitest';
import { unknownValue } from './endpoint-inputs';
import { deriveEndpointName } from './endpoint-name';

const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';

describe('deriveEndpointName', () => {
  it('joins the Pulumi project, the stack, the resource name and a short hash', () => {
    expect(deriveEndpointName({ urn }, ['p-1'])).toMatch(/^shop-prod-api-[0-9a-f]{8}$/);
  });

  it('returns the name that release 0.1.0 derived, in the default organization', () => {
    expect(deriveEndpointName({ urn }, ['p-1', 'read_write'])).toBe('shop-prod-api-8607da1a');
    const identity = { urn, organization: undefined, replaces: undefined };
    expect(deriveEndpointName(identity, ['p-1', 'read_write'])).toBe('shop-prod-api-8607da1a');
  });

  it('returns the same name for the same resource and the same replacing values', () => {
    const nameOf = () => deriveEndpointName({ urn, organization: 'acme', replaces: 'api-1' }, ['p-1']);
    expect(nameOf()).toBe(nameOf());
  });

  it('returns another name when a replacing value differs', () => {
    expect(deriveEndpointName({ urn }, ['p-1'])).not.toBe(deriveEndpointName({ urn }, ['p-2']));
  });

  it('returns different names for resources of one name under different parents', () => {
    const child = urn.replace('::pulumi-nodejs', '::my:Cluster$pulumi-nodejs');
    expect(deriveEndpointName({ urn: child }, [])).not.toBe(deriveEndpointName({ urn }, []));
  });

  it('returns different names in different organizations, and for an endpoint that replaces another', () => {
    const names = [
      {},
      { organization: 'acme' },
      { organization: 'umbrella' },
      { replaces: 'acme' },
      { replaces: 'umbrella' },
      { organization: 'acme', replaces: 'acme' },
    ].map((identity) => deriveEndpointName({ urn, ...identity }, ['p-1']));
    expect(new Set(names).size).toBe(names.length);
  });

  it('returns at most 64 characters, the whole hash included', () => {
    const name = deriveEndpointName({ urn: urn.replace('::api', `::${'long-'.repeat(30)}`) }, []);
    expect(name).toMatch(/^shop-prod-long.*-[0-9a-f]{8}$/);
    expect(name).toHaveLength(64);
  });

  it('keeps the part of a resource name behind a double colon', () => {
    expect(deriveEndpointName({ urn: `${urn}::blue` }, [])).toMatch(/^shop-prod-api-blue-[0-9a-f]{8}$/);
  });

  it('is unknown while a replacing value is unknown', () => {
    expect(deriveEndpointName({ urn, organization: 'acme' }, ['p-1', unknownValue])).toBe(unknownValue);
  });
});
