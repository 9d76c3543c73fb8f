import { join } from 'node:path';
import execa, { type ExecaError } from 'execa';
import { it } from 'vitest';
import { repository } from '../support/documents';
import { startQuickstart } from '../support/start-stack';

const script = join(repository, 'examples', 'pipeline', 'deploy.sh');

it('the pipeline stops only before an unapproved restart', async ({ expect }) => {
  const { stack, emulator, branch } = await startQuickstart();
  const deploy = async (more: NodeJS.ProcessEnv = {}) => {
    const path = `${join(stack.command, '..')}:${process.env.PATH}`;
    const env = { ...stack.environment, PATH: path, ...more };
    const options = { cwd: stack.folder, env, extendEnv: false, all: true } as const;
    const result = await execa('bash', [script, 'test'], options).catch((error: ExecaError) => error);
    return { exitCode: result.exitCode, screen: String(result.all).replace(/\s+/g, ' ') };
  };
  const held = () => emulator.endpoints().find(({ branch_id }) => branch_id === branch.id);

  expect(await deploy()).toMatchObject({ exitCode: 0 });
  await stack.run('config', 'set', 'maxCu', '2');
  const stopped = await deploy();
  expect(stopped.exitCode).not.toBe(0);
  expect(stopped.screen).toContain('allowRestart is false, and this restarts the compute');
  expect(held()).toMatchObject({ autoscaling_limit_max_cu: 1 });

  expect(await deploy({ APPROVE_RESTART: 'true' })).toMatchObject({ exitCode: 0 });
  expect(held()).toMatchObject({ autoscaling_limit_max_cu: 2 });
  await stack.run('config', 'set', 'suspendTimeoutSeconds', '900');
  expect(await deploy()).toMatchObject({ exitCode: 0 });
  expect(held()).toMatchObject({ suspend_timeout_seconds: 900 });
});
