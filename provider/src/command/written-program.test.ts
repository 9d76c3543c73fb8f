import { expect, it } from 'vitest';
import type { Branch } from '../control-api/wire-types';
import { foundBranch } from './found-resource';
import { writeProgram } from './written-program';

function branchOf(name: string, id: string, parent_id: string) {
  return foundBranch({ id, project_id: 'p-1', name: id, parent_id } as Branch, name); // Only what the program declares.
}

const module = 'pulumi-postgres-compute/plugin';

it('declares parents first, each branch with a variable of its own', () => {
  const program = writeProgram(
    [
      branchOf('leaf', 'br-4', 'br-2'),
      branchOf('a_b', 'br-2', 'br-1'),
      branchOf('other', 'br-3', 'br-1'),
      branchOf('a-b', 'br-1', 'br-0'),
    ],
    { module },
  );
  const lines = program.split('\n').filter((line) => /Branch\(|parentId/.test(line));
  expect(lines).toEqual([
    "const branchAB = new Branch('a-b', {",
    "  parentId: 'br-0',",
    "const branchAB2 = new Branch('a_b', {",
    '  parentId: branchAB.id,',
    "new Branch('leaf', {",
    '  parentId: branchAB2.id,',
    "new Branch('other', {",
    '  parentId: branchAB.id,',
  ]);
});

/** Each branch is the parent of the one before it. */
function chainOf(length: number) {
  return Array.from({ length }, (_, index) => branchOf(`b${index}`, `br-${index}`, `br-${index + 1}`));
}

it('declares a chain of branches that is longer than the stack', () => {
  const lines = writeProgram(chainOf(20_000), { module }).split('\n');
  expect(lines.find((line) => line.includes('new Branch'))).toContain("'b19999'");
});

it('refuses branches whose parents form a cycle', () => {
  const branches = [...chainOf(3), branchOf('last', 'br-3', 'br-1')];
  expect(() => writeProgram(branches, { module })).toThrow(
    /^The service reports branch br-1 as its own ancestor\.$/,
  );
});
