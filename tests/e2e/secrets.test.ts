import { describe, it } from 'vitest';
import { collectScreens, findLeaks, readAll } from '../support/stack-texts';
import { startProgram } from '../support/start-stack';

const canaries = {
  setting: 'canary-setting/"7f3a',
  trigger: 'canary-trigger\\"9c1b',
  name: 'canary-name-5d2e',
};

/** Every text argument is a secret; the ids are secrets of the stack config. */
const programOf = (trigger: string, maxCu: number) => `import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';
const config = new pulumi.Config();
new ComputeEndpoint('app', {
  projectId: config.requireSecret('secretProject'),
  branchId: config.requireSecret('secretBranch'),
  type: pulumi.secret('read_write' as const),
  regionId: pulumi.secret('local-east-1'),
  name: pulumi.secret(${JSON.stringify(canaries.name)}),
  autoscalingLimitMinCu: pulumi.secret(0.25),
  autoscalingLimitMaxCu: pulumi.secret(${maxCu}),
  pgSettings: { 'app.key': pulumi.secret(${JSON.stringify(canaries.setting)}) },
  restartTriggers: { password: pulumi.secret(${JSON.stringify(`${canaries.trigger}${trigger}`)}) },
  timeouts: { create: 20, update: 20 },
});
`;

describe('a secret argument', () => {
  it('never appears in plain text in state, history, output or errors', async ({ expect }) => {
    const { stack, emulator, project, branch } = await startProgram('', { operationMs: 100 });
    await stack.run('config', 'set', '--secret', 'secretProject', project.id);
    await stack.run('config', 'set', '--secret', 'secretBranch', branch.id);
    await stack.run('config', 'rm', 'projectId');
    await stack.run('config', 'rm', 'branchId');
    const quoted = `invalid value for parameter: ${canaries.setting} and ${canaries.trigger}1`;
    const texts: string[] = [];
    const previews = [['preview'], ['preview', '--diff'], ['preview', '--json']];

    await stack.writeProgram(programOf('1', 1));
    emulator.inject({
      match: { method: 'POST' },
      effect: {
        kind: 'status',
        status: 422,
        message: `${quoted} in ${project.id}, ${branch.id}, ${canaries.name}`,
      },
    });
    texts.push(...(await collectScreens(stack, [...previews, ['up', '--yes', '--skip-preview']])));
    emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-fails', error: quoted },
    });
    texts.push(...(await collectScreens(stack, [['up', '--yes', '--skip-preview'], ...previews])));
    texts.push(...(await readAll(stack.backend)));
    texts.push((await stack.run('up', '--yes')).screen);

    await stack.writeProgram(programOf('2', 2));
    texts.push(...(await collectScreens(stack, previews)));
    texts.push((await stack.run('up', '--yes')).screen);
    texts.push((await stack.run('refresh', '--yes', '--diff')).screen);
    texts.push(
      ...(await collectScreens(stack, [
        ['stack', 'history', '--json'],
        ['stack', 'export'],
        ['stack', '--show-urns'],
      ])),
    );
    texts.push(...(await readAll(stack.backend)));

    // Both failures occurred, and the secrets that they quote are redacted.
    expect(texts.join('\n')).toContain('invalid value for parameter: *** and ***');
    const secrets = [...Object.values(canaries), project.id, branch.id, emulator.apiKey];
    expect(findLeaks(texts, secrets)).toEqual([]);
  });
});
