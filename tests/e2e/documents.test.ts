import { expect, it } from 'vitest';
import { codeBlock } from '../support/documents';
import { flat } from '../support/pulumi-stack';
import { startPluginStack, startProgram } from '../support/start-stack';

/** Lets the CLI find the plugin in node_modules. */
const pluginFolder = codeBlock('docs/plugin.md', 'yaml', 'Install');

it('docs/add-an-endpoint.md creates an endpoint, and warns as shown', async () => {
  const { stack, emulator, project } = await startProgram('dynamic');
  // A new project: its branch comes with an endpoint.
  const endpoints = emulator.endpoints(project.id);
  const page = 'docs/add-an-endpoint.md';
  const program = codeBlock(page, 'ts', '3. Declare the endpoint')
    .replace('PROJECT_ID', project.id)
    .replace('BRANCH_ID', endpoints[0]?.branch_id ?? '');
  await stack.writeProgram(program);
  let screen = '';
  for (const line of codeBlock(page, 'sh', '4. Preview and apply').trim().split('\n')) {
    const [, ...words] = line.split(' ');
    ({ screen } = await stack.run(...words, ...(words[0] === 'up' ? ['--yes', '--skip-preview'] : [])));
  }
  expect(emulator.endpoints(project.id)).toHaveLength(1);
  expect(screen).toContain(endpoints[0]?.host ?? 'the host of the endpoint');

  await stack.writeProgram(program.replace('autoscalingLimitMaxCu: 1', 'autoscalingLimitMaxCu: 2'));
  const preview = await stack.run('preview');
  expect(flat(preview.screen)).toContain(flat(codeBlock(page, '', '5. Change it')).trim());
});

it('docs/plugin.md: an endpoint is imported, and YAML reads its live state', async () => {
  const live = codeBlock('docs/plugin.md', 'yaml', 'Lookups');
  const { stack, emulator, project, fill } = await startPluginStack(live + pluginFolder);
  const [{ id, branch_id } = { id: '', branch_id: '' }] = emulator.endpoints(project.id);
  const [, ...words] = fill(codeBlock('docs/plugin.md', 'sh', 'Import'))
    .trim()
    .replace('ENDPOINT_ID', id)
    .split(' ');
  const { screen } = await stack.run(...words, '--yes', '--skip-preview');
  expect(screen).toContain(`branchId: ${branch_id}`);
  expect((await stack.exportState()).endpoints.map((endpoint) => endpoint.id)).toEqual([id]);
  await stack.run('state', 'unprotect', '--all', '--yes');
  await stack.run('up', '--yes', '--skip-preview');
  expect((await stack.run('stack', 'output', 'state')).stdout).toMatch(/^(active|idle)$/);
});
