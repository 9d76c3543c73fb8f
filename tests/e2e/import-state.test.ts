import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { expect, it } from 'vitest';
import { codeBlock } from '../support/documents';
import { recreateState } from '../support/moved-state';
import { commandFile } from '../support/start-command';
import { startPluginStack } from '../support/start-plugin-stack';

it.each(['terraform/kislerdm', 'bridge/terraform-community-providers'] as const)(
  'import-state moves resources from %s without a change',
  async (fixture) => {
    const project = 'name: moved\nmain: index.ts\nruntime: nodejs\n';
    const service = await startPluginStack(project + codeBlock('docs/plugin.md', 'yaml', 'Install'));
    const { stack, emulator } = service;
    const { text } = await recreateState(emulator, service.project.id, fixture);
    await expect.poll(() => emulator.endpoints().map((one) => one.current_state)).not.toContain('init');
    await writeFile(join(stack.folder, 'state.json'), text);
    const before = emulator.endpoints().map(({ id, name }) => ({ id, name }));
    const writes = () => emulator.requests().filter(({ method }) => method !== 'GET').length;
    const writesBefore = writes();

    const command = execa(process.execPath, [commandFile, 'import-state', 'state.json'], {
      cwd: stack.folder,
      env: stack.environment,
      extendEnv: false,
    });
    const { stdout: program, stderr: next } = await command;
    await stack.writeProgram(program);
    for (const [, words = ''] of next.matchAll(/^ {2}\d\. pulumi (.*)$/gm))
      await stack.run(...words.split(' '), ...(words.startsWith('import') ? ['--yes'] : []));
    await stack.run('up', '--yes', '--skip-preview', '--expect-no-changes');
    await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
    expect((await stack.exportState()).endpoints).toHaveLength(2);
    expect(emulator.endpoints().map(({ id, name }) => ({ id, name }))).toEqual(before);
    expect(writes()).toBe(writesBefore);
  },
);
