import { expect, it } from 'vitest';
import type { Branch } from '../control-api/wire-types';
import { writeMovedProgram } from './moved-program';

function branchOf(id: string, parent_id?: string): Branch {
  return { id, project_id: 'p-1', name: id, ...(parent_id && { parent_id }) } as Branch; // Only what the program declares.
}

it('declares parents first, each branch with a variable of its own', () => {
  const program = writeMovedProgram(
    [
      { name: 'leaf', resource: branchOf('br-4', 'br-2') },
      { name: 'a_b', resource: branchOf('br-2', 'br-1') },
      { name: 'other', resource: branchOf('br-3', 'br-1') },
      { name: 'a-b', resource: branchOf('br-1', 'br-0') },
    ],
    [],
  );
  const lines = program.split('\n').filter((line) => /Branch\(|parentId/.test(line));
  expect(lines).toEqual([
    "const branchAB2 = new Branch('a-b', {",
    "  parentId: 'br-0',",
    "const branchAB = new Branch('a_b', {",
    '  parentId: branchAB2.id,',
    "new Branch('leaf', {",
    '  parentId: branchAB.id,',
    "new Branch('other', {",
    '  parentId: branchAB2.id,',
  ]);
});

/** Each branch is the parent of the one before it. */
function chainOf(length: number) {
  return Array.from({ length }, (_, index) => ({
    name: `b${index}`,
    resource: branchOf(`br-${index}`, `br-${index + 1}`),
  }));
}

it('declares a chain of branches that is longer than the stack', () => {
  const lines = writeMovedProgram(chainOf(20_000), []).split('\n');
  expect(lines.find((line) => line.includes('new Branch'))).toContain("'b19999'");
});

it('refuses branches whose parents form a cycle', () => {
  const branches = [...chainOf(3), { name: 'last', resource: branchOf('br-3', 'br-1') }];
  expect(() => writeMovedProgram(branches, [])).toThrow(
    /^The service reports branch br-1 as its own ancestor\.$/,
  );
});
