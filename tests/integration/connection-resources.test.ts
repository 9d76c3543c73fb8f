import * as pulumi from '@pulumi/pulumi';
import { describe, expect, it } from 'vitest';
import * as dynamicClasses from '../../provider/src/index';
import * as pluginClasses from '../../provider/src/plugin-index';

const place = { projectId: 'p-1', branchId: 'br-1' };

describe.each([
  ['the dynamic provider', dynamicClasses],
  ['the provider plugin', pluginClasses],
])('getConnectionUri of resources by %s', (_name, { Role, Database, ComputeEndpoint, getConnectionUri }) => {
  /** Declares the three. @param known what the service shows of each. Without a password, in a preview. @default nothing yet */
  async function declare(known?: { createdAt: string; password?: string }) {
    const calls: object[] = [];
    const mocks: pulumi.runtime.Mocks = {
      newResource: ({ name, inputs }) => ({ id: known && name, state: { ...inputs, ...known } }),
      call: ({ inputs }) => {
        calls.push(inputs);
        return { uri: 'postgresql://mock' };
      },
    };
    await pulumi.runtime.setMocks(mocks, 'project', 'stack', known?.password === undefined);
    const role = new Role('r', { ...place, name: 'app' });
    const database = new Database('d', { ...place, name: 'shop', ownerName: role.name });
    const endpoint = new ComputeEndpoint('e', { ...place, type: 'read_write' });
    return { calls, uri: getConnectionUri({ role, database, endpoint, pooled: true }) };
  }
  const made = { createdAt: '2026-01-01T00:00:00Z', password: 'secret' };
  const read = (uri: pulumi.Output<string>) =>
    (uri as unknown as { promise(): Promise<string | undefined> }).promise();

  it('reads the string of their names, as a secret', async () => {
    const { calls, uri } = await declare(made);
    expect(await read(uri)).toBe('postgresql://mock');
    expect(await pulumi.isSecret(uri)).toBe(true);
    const { projectId } = place;
    const names = { projectId, endpointId: 'e', databaseName: 'shop', roleName: 'app', pooled: true };
    expect(calls).toEqual([names]);
  });

  it.each([
    ['they are not there', undefined],
    ['the role gets another password', { createdAt: made.createdAt }],
  ])('sends no request while %s', async (_when, known) => {
    const { calls, uri } = await declare(known);
    expect(await read(uri)).toBeUndefined();
    expect(calls).toEqual([]);
  });
});
