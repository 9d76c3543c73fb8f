import { expect, it } from 'vitest';
import { endpointOf } from '../../../tests/support/endpoint';
import type { Endpoint } from '../control-api/wire-types';
import { nameResources } from './resource-names';

function namesOf(
  endpoints: readonly Partial<Endpoint>[],
  branchNames: Record<string, string> = {},
): string[] {
  const unnamed = endpoints.map((change, index) => {
    const { name: _, ...endpoint } = endpointOf({ id: `ep-${index + 1}`, ...change });
    return { ...endpoint, ...(change.name !== undefined && { name: change.name }) };
  });
  return [...nameResources(unnamed, new Map(Object.entries(branchNames))).values()];
}

it('names a resource after its endpoint in lower case, digits and hyphens', () => {
  expect(namesOf([{ name: ' Jo’s "API" / v2 ' }])).toEqual(['jo-s-api-v2']);
});

it('names a resource after its branch if the endpoint has no name', () => {
  expect(namesOf([{}], { 'br-1': 'main' })).toEqual(['main']);
});

it('marks a read replica without a name by a suffix', () => {
  expect(namesOf([{}, { type: 'read_only' }], { 'br-1': 'main' })).toEqual(['main', 'main-replica']);
});

it('names a resource by the endpoint id if no letter is allowed', () => {
  expect(namesOf([{ name: '日本' }], { 'br-1': '…' })).toEqual(['ep-1']);
});

it('falls back to "endpoint" if no letter of the id is allowed', () => {
  expect(namesOf([{ id: '日本' }])).toEqual(['endpoint']);
});

it('appends the endpoint id to names that would be equal', () => {
  expect(namesOf([{ name: 'api' }, { name: 'API' }, { name: 'web' }])).toEqual([
    'api-ep-1',
    'api-ep-2',
    'web',
  ]);
});

it('never gives two resources the same name', () => {
  const names = namesOf([{ name: 'api-ep-2' }, { name: 'api' }, { name: 'api' }]);
  expect(new Set(names).size).toBe(3);
});

it('cuts a name at 60 characters', () => {
  expect(namesOf([{ name: `${'x'.repeat(59)} yz` }])).toEqual(['x'.repeat(59)]);
});
