import { describe, expect, it } from 'vitest';
import { doorNames } from '../support/program-doors';
import { flat } from '../support/pulumi-stack';
import { findLeaks, readAll } from '../support/stack-texts';
import { output, startProgram } from '../support/start-stack';

const up = ['up', '--yes', '--skip-preview'];

describe.each(doorNames)('a role with its database, by the %s provider', (door) => {
  it('is created on a branch, changes, and goes before it', async () => {
    const { stack, emulator, project, write } = await startProgram(door);
    const declare = (passwordTriggers: object, ownerName: string | object) =>
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
          shop: {
            type: 'Database',
            properties: {
              projectId: project.id,
              branchId: output('preview.id'),
              name: 'shop',
              ownerName,
            },
          },
        },
        outputs: { password: output('app.password'), owner: output('shop.ownerName') },
      });
    const passwordOf = async () =>
      (await stack.run('stack', 'output', 'password', '--show-secrets')).stdout.trim();
    const revealed = async () => {
      const branch = emulator.branches(project.id).find(({ name }) => name === 'preview');
      const path = `/projects/${project.id}/branches/${branch?.id}/roles/app/reveal_password`;
      const headers = { authorization: `Bearer ${emulator.apiKey}` };
      return ((await (await fetch(`${emulator.url}${path}`, { headers })).json()) as { password: string })
        .password;
    };
    await declare({ year: 1 }, 'app_owner');
    const screens = [(await stack.run(...up)).screen];
    const first = await passwordOf();
    expect(first).toBe(await revealed());
    await stack.run('preview', '--expect-no-changes');
    await declare({ year: 2 }, output('app.name'));
    const preview = (await stack.run('preview')).screen;
    expect(flat(preview)).toContain('gives the role a new password and drops the connections');
    screens.push(preview, (await stack.run(...up)).screen);
    const second = await passwordOf();
    expect(second).toBe(await revealed());
    expect(second).not.toBe(first);
    expect((await stack.run('stack', 'output', 'owner')).stdout.trim()).toBe('app');
    screens.push((await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes')).screen);
    await stack.run('destroy', '--yes', '--skip-preview');
    expect(emulator.branches(project.id).map(({ name }) => name)).not.toContain('preview');
    expect(findLeaks([...screens, ...(await readAll(stack.folder))], [first, second])).toEqual([]);
  });
});
