import { expect, it } from 'vitest';
import { unknownValue } from './endpoint-inputs';
import { deriveEndpointName } from './endpoint-name';

const urn = 'urn:pulumi:prod::shop::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::api';

it('is readable: Pulumi project, stack, resource name and a short hash', () => {
  expect(deriveEndpointName({ urn }, ['p-1'])).toMatch(/^shop-prod-api-[0-9a-f]{8}$/);
});

it('is the same for the same resource and the same replacing values', () => {
  expect(deriveEndpointName({ urn }, ['p-1'])).toBe(deriveEndpointName({ urn }, ['p-1']));
});

it('differs when a replacing value differs', () => {
  expect(deriveEndpointName({ urn }, ['p-1'])).not.toBe(deriveEndpointName({ urn }, ['p-2']));
});

it('differs between resources of the same name under different parents', () => {
  const child = urn.replace('::pulumi-nodejs', '::my:Cluster$pulumi-nodejs');
  expect(deriveEndpointName({ urn: child }, [])).not.toBe(deriveEndpointName({ urn }, []));
});

it('has at most 64 characters, the hash included', () => {
  const name = deriveEndpointName({ urn: urn.replace('::api', `::${'long-'.repeat(30)}`) }, []);
  expect(name).toMatch(/^shop-prod-long.*-[0-9a-f]{8}$/);
  expect(name).toHaveLength(64);
});

it('is the one that release 0.1.0 derived, where it knew as much', () => {
  expect(deriveEndpointName({ urn }, ['p-1', 'read_write'])).toBe('shop-prod-api-8607da1a');
});

it('differs between organizations, and from the endpoint that it replaces', () => {
  const names = [{}, { organization: 'acme' }, { organization: 'umbrella' }, { replaces: 'acme' }].map(
    (identity) => deriveEndpointName({ urn, ...identity }, ['p-1']),
  );
  expect(new Set(names).size).toBe(names.length);
});

it('is not known while a replacing value is not', () => {
  expect(deriveEndpointName({ urn }, ['p-1', unknownValue])).toBe(unknownValue);
});
