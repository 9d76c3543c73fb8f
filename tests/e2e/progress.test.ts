import { it } from 'vitest';
import { startProgram } from '../support/start-stack';

const size = 'autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 1';

/** The lines of the resource's row. */
const rows = (screen: string) => screen.split('\n').filter((line) => /ComputeEndpoint app /.test(line));

it('the row of an endpoint shows only what runs, once', async ({ expect }) => {
  const { stack } = await startProgram(size, { schedulingMs: 1500, operationMs: 1500 });
  const { screen } = await stack.run('up', '--yes', '--skip-preview');
  const shown = rows(screen).map((line) => /creating.*(start_compute.*)$/.exec(line)?.[1]);
  expect(shown.filter((line) => line !== undefined)).toEqual([
    expect.stringMatching(/^start_compute, 1 of 1(, \d s)?$/),
  ]);
});

it('the row of an endpoint names the operation that locks the project', async ({ expect }) => {
  const { stack, emulator, project } = await startProgram(size);
  const release = emulator.lockProject(project.id);
  const command = stack.start('up', '--yes', '--skip-preview');
  let screen = '';
  command.all?.on('data', (chunk: Buffer) => {
    screen += chunk;
    if (screen.includes('waiting: ')) release();
  });
  await command;
  const [lock] = emulator.operations(project.id).filter(({ action }) => action === 'create_branch');
  expect(rows(screen).join('\n')).toContain(`waiting: project locked by create_branch ${lock?.id} running`);
});

it('an unchanged endpoint has no row', async ({ expect }) => {
  const { stack } = await startProgram(size);
  await stack.run('up', '--yes');
  const { screen } = await stack.run('up', '--yes');
  expect(rows(screen)).toEqual([]);
});

it('a short autosuspend delay is noted only when it is new', async ({ expect }) => {
  const { stack, declare } = await startProgram(`${size}, suspendTimeoutSeconds: 30`);
  expect((await stack.run('preview')).screen).toContain('suspendTimeoutSeconds is 30: ');
  await stack.run('up', '--yes');
  expect((await stack.run('preview')).screen).not.toMatch(/may refuse/);
  await declare(`${size}, suspendTimeoutSeconds: 90`);
  expect((await stack.run('preview')).screen).not.toMatch(/may refuse/);
});
