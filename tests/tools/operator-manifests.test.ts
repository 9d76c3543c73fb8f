import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { type Manifest, readDefinitions } from '../support/crd-schema';

interface Program extends Manifest {
  readonly program: { readonly resources: object; readonly outputs: object };
}
interface Stack extends Manifest {
  readonly spec: { readonly prerequisites?: { name: string }[]; readonly config: Record<string, string> };
}

const read = (name: string) => load(readFileSync(`examples/fleet/${name}`, 'utf8'));
const program = read('operator/program.yaml') as Program;
const { items } = read('operator/stacks.yaml') as { items: Manifest[] };
const stacks = items.filter(({ kind }) => kind === 'Stack') as Stack[];
const crds = process.env.PULUMI_OPERATOR_CRDS;

test.skipIf(!crds)("the fleet's manifests match the operator's published schemas", () => {
  const validate = readDefinitions(crds ?? '');

  expect(stacks).toHaveLength(2);
  expect([program, ...stacks].map(validate)).toEqual([[], [], []]);
  const [canary] = stacks;
  const misspelled = {
    ...canary,
    spec: { ...canary?.spec, programReff: { name: 'fleet' } },
  };
  expect(validate(misspelled as Manifest)).toEqual([expect.stringContaining('programReff')]);
});

test("the operator's program is that of the fleet", () => {
  const { resources, outputs } = read('Pulumi.yaml') as Program['program'];

  expect(program.program).toMatchObject({ resources, outputs });
});

test("the operator's fleet forbids restarts, and waits for its canary", () => {
  const names = stacks.map(({ metadata }) => metadata.name);

  for (const { spec } of stacks)
    expect(spec.config).toMatchObject({ 'postgres-compute:allowRestart': 'false' });
  expect(stacks.map(({ spec }) => spec.prerequisites?.map(({ name }) => name))).toEqual([
    undefined,
    [names[0]],
  ]);
});
