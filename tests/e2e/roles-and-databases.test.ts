import { mapValues } from 'lodash';
import { describe, expect, it } from 'vitest';
import { ControlApi } from '../../provider/src/control-api/control-api';
import { hasPostgres, psql } from '../support/postgres-emulator';
import { doorNames } from '../support/program-doors';
import { flat } from '../support/pulumi-stack';
import { findLeaks, readAll } from '../support/stack-texts';
import { output, startProgram } from '../support/start-stack';

const up = ['up', '--yes', '--skip-preview'];
const postgres = hasPostgres ? { postgres: true, postgresPort: 0 } : {};
/** The connection string of the program's resources, as each language looks it up. */
const lookup = {
  dynamic: output('provider.getConnectionUri({ role: app, database: shop, endpoint })'),
  plugin: {
    'fn::invoke': {
      function: 'postgres-compute:getConnectionUri',
      arguments: {
        projectId: output('preview.projectId'),
        endpointId: output('endpoint.id'),
        roleName: output('app.id'),
        databaseName: output('shop.name'),
      },
      return: 'uri',
    },
  },
};

describe.each(doorNames)('a role with its database, by the %s provider', (door) => {
  it('is created on a branch, changes with its data, and goes before it', async () => {
    const { stack, emulator, project, write } = await startProgram(door, {}, postgres);
    const declare = (passwordTriggers: object, ownerName: string, databases: Record<string, string>) =>
      write({
        resources: {
          preview: { type: 'Branch', properties: { projectId: project.id, name: 'preview' } },
          app: {
            type: 'Role',
            properties: {
              projectId: project.id,
              branchId: output('preview.id'),
              name: 'app',
              passwordTriggers,
            },
          },
          endpoint: {
            type: 'ComputeEndpoint',
            properties: { projectId: project.id, branchId: output('preview.id'), type: 'read_write' },
          },
          ...mapValues(databases, (name) => ({
            type: 'Database',
            properties: { projectId: project.id, branchId: output('preview.id'), name, ownerName },
          })),
        },
        outputs: {
          password: output('app.password'),
          ...(databases.shop && { owner: output('shop.ownerName'), uri: lookup[door] }),
        },
      });
    const outputOf = async (name: string) =>
      (await stack.run('stack', 'output', name, '--show-secrets')).stdout.trim();
    const passwordOf = () => outputOf('password');
    const query = async (text: string) => (hasPostgres ? psql(await outputOf('uri'), text) : 'kept');
    const api = new ControlApi({ baseUrl: emulator.url, apiKey: emulator.apiKey });
    const place = () => ({
      projectId: project.id,
      branchId: emulator.branches(project.id).find(({ name }) => name === 'preview')?.id ?? '',
    });
    const revealed = () => api.revealPassword({ ...place(), name: 'app' });
    await declare({ year: 1 }, 'app_owner', { shop: 'shop' });
    await stack.run('preview');
    const screens = [(await stack.run(...up)).screen];
    const first = await passwordOf();
    expect(first).toBe(await revealed());
    await declare({ year: 2 }, output('app.name'), { shop: 'shop' });
    const preview = (await stack.run('preview')).screen;
    expect(flat(preview)).toContain('gives the role a new password and drops the connections');
    screens.push(preview, (await stack.run(...up)).screen);
    const second = await passwordOf();
    expect(second).toBe(await revealed());
    expect(second).not.toBe(first);
    expect(await outputOf('owner')).toBe('app');
    await query("CREATE TABLE word AS SELECT 'kept'");
    await declare({ year: 2 }, output('app.name'), { shop: 'store' });
    const renaming = (await stack.run('preview')).screen;
    expect(flat(renaming)).toContain('drops the connections to it: a change of name');
    screens.push(renaming, (await stack.run(...up)).screen);
    expect(new URL(await outputOf('uri')).pathname).toBe('/store');
    expect(await query('TABLE word')).toBe('kept');
    screens.push((await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes')).screen);
    await declare({ year: 2 }, output('app.name'), { shop: 'store', other: 'shop' });
    await stack.run(...up);
    await declare({ year: 2 }, output('app.name'), { other: 'shop' });
    await stack.run(...up);
    const left = await api.listNamed('database', place());
    expect(left.map(({ name }) => name)).toEqual(['app', 'shop']);
    await stack.run('destroy', '--yes', '--skip-preview');
    expect(emulator.branches(project.id).map(({ name }) => name)).not.toContain('preview');
    expect(findLeaks([...screens, ...(await readAll(stack.folder))], [first, second])).toEqual([]);
  });
});
