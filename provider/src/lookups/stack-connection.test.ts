import * as pulumi from '@pulumi/pulumi';
import { beforeEach, expect, it } from 'vitest';
import { getBranch, getBranches, getConnectionUri, getProject } from './get-by-stack';
import { waitForOperations } from './operation-lookup';
import { hideStack, readByStack } from './stack-connection';

const projectId = 'p-1';
const answers: Readonly<Record<string, object>> = {
  'postgres-compute:index:getBranch': { id: 'br-1' },
  'postgres-compute:index:getBranches': { branches: [{ id: 'br-1' }] },
  'postgres-compute:index:getConnectionUri': { uri: 'postgresql://mock' },
};

beforeEach(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs }),
    call: ({ token }) => answers[token] ?? {},
  });
});

it('a lookup in a unit test answers from its mocks', async () => {
  expect(await getBranch({ projectId, name: 'main' })).toMatchObject({ id: 'br-1' });
  expect(await getBranches({ projectId })).toMatchObject([{ id: 'br-1' }]);
  const uri = getConnectionUri({ projectId, databaseName: 'app', roleName: 'app_owner' });
  expect(await new Promise((resolve) => uri.apply(resolve))).toBe('postgresql://mock');
});

it('a lookup that the mocks do not answer is an error', async () => {
  await expect(getProject({ projectId })).rejects.toThrow(
    'The mocks of this unit test have no answer to postgres-compute:index:getProject.',
  );
  await expect(waitForOperations({ projectId })).rejects.toThrow('A unit test with mocks sends no request');
});

it('a lookup fails without a stack, which Pulumi would inspect', async () => {
  await expect(readByStack(async () => undefined)).rejects.toHaveProperty('stack', undefined);
});

it('a programming error in a lookup keeps its stack', () => {
  const hidden = hideStack(new TypeError('x is not a function'));
  expect(hidden.stack).toContain('stack-connection.test.ts');
  expect(pulumi.RunError.isInstance(hidden)).toBe(false);
});
