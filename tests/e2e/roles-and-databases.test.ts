import { expect, it } from 'vitest';
import { ControlApi } from '../../provider/src/control-api/control-api';
import { hasPostgres, psql } from '../support/postgres-emulator';
import { flat } from '../support/pulumi-stack';
import { collectScreens, findLeaks, readAll } from '../support/stack-texts';
import { output, startProgram } from '../support/start-stack';

const up = ['up', '--yes', '--skip-preview'];
const postgres = hasPostgres ? { postgres: true, postgresPort: 0 } : {};
/** The connection string of the program's resources. */
const uri = {
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
};

// The same for the dynamic provider: examples.test.ts.
it('a role and its database are created, change with its data, and go', async () => {
  const { stack, emulator, project, write } = await startProgram('plugin', {}, postgres);
  const declare = (passwordTriggers: object, ownerName: string, name: string) =>
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
        shop: {
          type: 'Database',
          properties: { projectId: project.id, branchId: output('preview.id'), name, ownerName },
        },
      },
      outputs: {
        password: output('app.password'),
        owner: output('shop.ownerName'),
        uri,
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
  await declare({ year: 1 }, 'app_owner', 'shop');
  await stack.run('preview');
  const screens = [(await stack.run(...up)).screen];
  const first = await passwordOf();
  expect(first).toBe(await revealed());
  await declare({ year: 2 }, output('app.name'), 'shop');
  const preview = (await stack.run('preview')).screen;
  expect(flat(preview)).toContain('gives the role a new password and drops the connections');
  screens.push(preview, (await stack.run(...up)).screen);
  const second = await passwordOf();
  expect(second).toBe(await revealed());
  expect(second).not.toBe(first);
  expect(await outputOf('owner')).toBe('app');
  await query("CREATE TABLE word AS SELECT 'kept'");
  await declare({ year: 2 }, output('app.name'), 'store');
  const renaming = (await stack.run('preview')).screen;
  expect(flat(renaming)).toContain('drops the connections to it: a change of name');
  screens.push(renaming, (await stack.run(...up)).screen);
  expect(new URL(await outputOf('uri')).pathname).toBe('/store');
  expect(await query('TABLE word')).toBe('kept');
  screens.push((await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes')).screen);
  screens.push(
    ...(await collectScreens(stack, [
      ['stack', 'output', '--json'],
      ['stack', 'export'],
    ])),
  );
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(emulator.branches(project.id).map(({ name }) => name)).not.toContain('preview');
  expect(findLeaks([...screens, ...(await readAll(stack.backend))], [first, second])).toEqual([]);
});
