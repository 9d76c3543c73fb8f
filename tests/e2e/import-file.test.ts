import execa from 'execa';
import { expect, it } from 'vitest';
import { sendRequest } from '../support/send-request';
import { commandFile } from '../support/start-command';
import { startProgram } from '../support/start-stack';

/** Starts a project whose primary branch has the unnamed default endpoint, and another branch a named one. */
async function startProject() {
  const service = await startProgram();
  const { stack, emulator, project, branch } = service;
  const [primary] = emulator.endpoints(project.id);
  if (!primary) throw new Error('The project has no endpoint.');
  const endpoint = {
    branch_id: branch.id,
    type: 'read_write',
    name: 'Jo\'s "reports"',
    autoscaling_limit_min_cu: 0.5,
    autoscaling_limit_max_cu: 2,
    suspend_timeout_seconds: 600,
    pooler_enabled: true,
    settings: { pg_settings: { work_mem: '8MB' } },
  };
  await sendRequest(emulator, 'POST', `/projects/${project.id}/endpoints`, { endpoint });
  const environment = { ...stack.environment, POSTGRES_COMPUTE_PROJECT: project.id };
  const command = (...words: string[]) =>
    execa(process.execPath, [commandFile, ...words], {
      cwd: stack.folder,
      env: environment,
      extendEnv: false,
    });
  await command('operations', 'wait');
  const held = () => emulator.endpoints(project.id).map(({ id, name }) => ({ id, name }));
  const writes = () => emulator.requests().filter(({ method }) => method !== 'GET').length;
  return { ...service, primary, command, held, writes };
}

it('import-file turns endpoints into resources without changing them', async () => {
  const { stack, emulator, primary, command, held, writes } = await startProject();
  const before = { held: held(), writes: writes() };
  const { stdout: program, stderr: next } = await command('import-file');

  const [, importWords = ''] = /^ {2}2\. pulumi (.*)$/m.exec(next) ?? [];
  await stack.run(...importWords.split(' '), '--yes');
  // The program does not contain the generated text yet, so it declares no endpoint.
  await stack.writeProgram('export const nothing = true;');
  const early = await stack.try('up', '--yes');
  expect(early.exitCode).not.toBe(0);
  expect(early.screen).toContain('protect');

  await stack.writeProgram(program);
  const [, previewWords = ''] = /^ {2}3\. pulumi (.*)$/m.exec(next) ?? [];
  expect(previewWords).toBe('preview --expect-no-changes');
  expect((await stack.run(...previewWords.split(' '))).screen).not.toMatch(/\[diff|protect/);
  await stack.run('up', '--yes', '--expect-no-changes');
  await stack.run('refresh', '--yes', '--expect-no-changes');
  expect({ held: held(), writes: writes() }).toEqual(before);

  // Now the program manages them like any others.
  await stack.writeProgram(program.replace('autoscalingLimitMaxCu: 0.25', 'autoscalingLimitMaxCu: 1'));
  await stack.run('up', '--yes');
  expect(held()).toEqual(before.held);
  expect(emulator.endpoints().find(({ id }) => id === primary.id)).toMatchObject({
    autoscaling_limit_max_cu: 1,
  });
  expect(writes()).toBe(before.writes + 1);
});
