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

it('is the name of the endpoint, in lower-case letters, digits and hyphens', () => {
  expect(namesOf([{ name: ' Jo’s "API" / v2 ' }])).toEqual(['jo-s-api-v2']);
});

it('is the name of the branch when the endpoint has none', () => {
  expect(namesOf([{}], { 'br-1': 'main' })).toEqual(['main']);
});

it('says of a read replica without a name that it is one', () => {
  expect(namesOf([{}, { type: 'read_only' }], { 'br-1': 'main' })).toEqual(['main', 'main-replica']);
});

it('is the id when neither has a name', () => {
  expect(namesOf([{}])).toEqual(['ep-1']);
});

it('is the id when nothing of the names can be written', () => {
  expect(namesOf([{ name: '日本' }], { 'br-1': '…' })).toEqual(['ep-1']);
});

it('is there also when nothing of the id can be written', () => {
  expect(namesOf([{ id: '日本' }])).toEqual(['endpoint']);
});

it('has the id behind it for each of those that would be called the same', () => {
  expect(namesOf([{ name: 'api' }, { name: 'API' }, { name: 'web' }])).toEqual([
    'api-ep-1',
    'api-ep-2',
    'web',
  ]);
});

it('is never given twice', () => {
  const names = namesOf([{ name: 'api-ep-2' }, { name: 'api' }, { name: 'api' }]);
  expect(new Set(names).size).toBe(3);
});

it('is at most 60 characters long when it is made of a name', () => {
  expect(namesOf([{ name: `${'x'.repeat(59)} yz` }])).toEqual(['x'.repeat(59)]);
});
