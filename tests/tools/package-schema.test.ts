import { readFileSync } from 'node:fs';
import execa from 'execa';
import { mapValues, pickBy } from 'lodash';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { branchOutputs } from '../../provider/src/branch/branch-type';
import { inputShape } from '../../provider/src/endpoint/endpoint-inputs';
import { endpointOutputs } from '../../provider/src/endpoint/endpoint-type';
import { databaseType } from '../../provider/src/named/database-type';
import { roleType } from '../../provider/src/named/role-type';
import { pulumiEnvironment } from '../../tools/pulumi-cli/environment';
import { findPulumiCli } from '../../tools/pulumi-cli/find';
import { makeTemporaryFolder } from '../support/temporary-folder';

interface PropertySpec {
  readonly type?: string;
  readonly $ref?: string;
  readonly secret?: boolean;
  readonly willReplaceOnChanges?: boolean;
}

interface PackageSpec {
  readonly config: { readonly variables: Record<string, PropertySpec> };
  readonly provider: { readonly inputProperties: Record<string, PropertySpec> };
  readonly types: Record<string, PropertySpec>;
  readonly resources: Record<
    string,
    Readonly<Record<'inputProperties' | 'properties', Record<string, PropertySpec>>>
  >;
}

const file = 'provider/plugin/schema.json';
const text = readFileSync(file, 'utf8');
const schema = JSON.parse(text) as PackageSpec; // `pulumi schema check` tests its shape.
const inputs = schema.resources['postgres-compute:index:ComputeEndpoint']?.inputProperties ?? {};

function typeOf({ type, $ref = '' }: PropertySpec): string | undefined {
  return type ?? schema.types[$ref.replace('#/types/', '')]?.type;
}

test('the Pulumi CLI accepts the package schema', async () => {
  const cli = findPulumiCli();
  if (!cli) throw new Error('No Pulumi CLI found: run `npm run setup`.');
  const home = makeTemporaryFolder();
  const env = pulumiEnvironment({ home, backend: home, cli });

  const check = execa(cli.command, ['schema', 'check', file], { env, extendEnv: false, all: true });

  expect((await check).all).toBe('');
});

test('the package schema has every argument but timeouts', () => {
  const required = mapValues(inputShape, (shape) => z.toJSONSchema(shape).type);

  expect(mapValues(inputs, typeOf)).toEqual(required);
});

test.each([
  ['ComputeEndpoint', endpointOutputs],
  ['Branch', branchOutputs],
  ['Role', roleType.classOutputs],
  ['Database', databaseType.classOutputs],
])('the package schema has every output of a %s', (name, outputs) => {
  const properties = schema.resources[`postgres-compute:index:${name}`]?.properties ?? {};

  expect(Object.keys(properties).sort()).toEqual([...outputs].sort());
});

test('the package schema marks the replacing arguments', () => {
  const replacing = Object.keys(pickBy(inputs, (input) => input.willReplaceOnChanges));

  expect(replacing.sort()).toEqual(['projectId', 'provisioner', 'regionId', 'type']);
});

test('the package schema marks the key as a secret', () => {
  expect(schema.config.variables.apiKey).toMatchObject({ type: 'string', secret: true });
  expect(schema.provider.inputProperties.apiKey).toMatchObject({ type: 'string', secret: true });
  expect(text).not.toContain('defaultInfo');
});

test.each(['provider', 'provider/plugin', 'emulator'])(
  '%s has the version of the package schema',
  (folder) => {
    const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string };
    expect(text).toContain(`"version": "${version}"`);
  },
);

test('the package schema names nothing of the dynamic provider', () => {
  expect(text).not.toMatch(/postgresCompute:|`timeouts`/);
});
