import { expect, it } from 'vitest';
import { readStateFile } from './state-file';

const branch = { mode: 'managed', type: 'neon_branch', values: { id: 'br-1', project_id: 'p-1' } };

it.each([
  [
    'what Terraform has still to delete',
    { values: { root_module: { resources: [{ ...branch, address: 'neon_branch.a', deposed_key: '1f' }] } } },
  ],
  [
    'a data source of Terraform',
    { values: { root_module: { resources: [{ ...branch, address: 'data.neon_branch.a', mode: 'data' }] } } },
  ],
  ...(['delete', 'external'] as const).map((mark): [string, object] => {
    const type = 'neon:index/branch:Branch';
    const resource = {
      urn: `urn:pulumi:dev::shop::${type}::a`,
      type,
      id: 'br-1',
      outputs: { projectId: 'p-1' },
    };
    return [`a Pulumi resource with ${mark}`, { deployment: { resources: [{ ...resource, [mark]: true }] } }];
  }),
])('leaves out %s', (_what, state) => {
  expect(readStateFile(JSON.stringify(state)).resources).toEqual([]);
});

it('accepts resources without values and of any type', () => {
  const others = [
    { address: 'terraform_data.a', mode: 'managed', type: 'terraform_data' },
    { ...branch, address: 'constructor.a', type: 'constructor' },
  ];
  const state = {
    values: { root_module: { resources: [...others, { ...branch, address: 'neon_branch.a' }] } },
  };
  expect(readStateFile(JSON.stringify(state)).resources).toMatchObject([{ id: 'br-1' }]);
});

it('quotes nothing of a file that is not JSON', () => {
  expect(() => readStateFile('hunter2, {"password": "hunter2"')).toThrow(/^The file is not JSON in UTF-8\.$/);
});

it('reads modules that are nested more deeply than the stack allows', () => {
  const depth = 20_000;
  const inner = JSON.stringify({ resources: [{ ...branch, address: 'neon_branch.a' }] });
  const root = `${'{"child_modules":['.repeat(depth)}${inner}${']}'.repeat(depth)}`;
  const { resources } = readStateFile(`{"values": {"root_module": ${root}}}`);
  expect(resources).toMatchObject([{ id: 'br-1' }]);
});

const outOfProject = { urn: 'a::feature', type: 'neon:index/branch:Branch', id: 'br-1' };

it.each([
  [
    'with a child module that it cannot read',
    { values: { root_module: { child_modules: [{ resources: 'none' }] } } },
  ],
  ['that is the raw file of Terraform', { version: 4, terraform_version: '1.11.4', resources: [] }],
])('refuses a state %s', (_what, state) => {
  expect(() => readStateFile(JSON.stringify(state))).toThrow(/is neither the output of/);
});

it('refuses a resource without its project', () => {
  const deployment = { resources: [outOfProject] };
  expect(() => readStateFile(JSON.stringify({ deployment }))).toThrow(
    /has no id or no project of a::feature/,
  );
});
