import { describe, expect, it } from 'vitest';
import { doorNames } from '../support/program-doors';
import { flat } from '../support/pulumi-stack';
import { findLeaks, readAll } from '../support/stack-texts';
import { output, startProgram } from '../support/start-stack';

const up = ['up', '--yes', '--skip-preview'];

describe.each(doorNames)('a role, by the %s provider', (door) => {
  it('is created on a branch, gets a new password, and goes before it', async () => {
    const { stack, emulator, project, write } = await startProgram(door);
    const declare = (passwordTriggers: object) =>
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
        },
        outputs: { password: output('app.password') },
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
    await declare({ year: 1 });
    const screens = [(await stack.run(...up)).screen];
    const first = await passwordOf();
    expect(first).toBe(await revealed());
    await stack.run('preview', '--expect-no-changes');
    await declare({ year: 2 });
    const preview = (await stack.run('preview')).screen;
    expect(flat(preview)).toContain('gives the role a new password and drops the connections');
    screens.push(preview, (await stack.run(...up)).screen);
    const second = await passwordOf();
    expect(second).toBe(await revealed());
    expect(second).not.toBe(first);
    screens.push((await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes')).screen);
    await stack.run('destroy', '--yes', '--skip-preview');
    expect(emulator.branches(project.id).map(({ name }) => name)).not.toContain('preview');
    expect(findLeaks([...screens, ...(await readAll(stack.folder))], [first, second])).toEqual([]);
  });
});
