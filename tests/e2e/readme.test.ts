import { expect, it } from 'vitest';
import { codeBlock } from '../support/documents';
import { startProgram, startQuickstart } from '../support/start-stack';

/** The arguments of each `pulumi` command of a block. */
function readCommands(block: string): string[][] {
  const lines = block.trim().split('\n');
  return lines.map((line) => line.split(' ').slice(1));
}

it('README.md creates one endpoint, whose resize previews as shown', async () => {
  const { stack, emulator, branch } = await startProgram();
  const program = codeBlock('README.md', 'ts', 'TypeScript');
  await stack.writeProgram(program);
  await stack.run('up', '--yes', '--skip-preview');
  expect(emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id)).toHaveLength(1);

  await stack.writeProgram(program.replace('autoscalingLimitMaxCu: 1', 'autoscalingLimitMaxCu: 2'));
  const { screen } = await stack.run('preview');
  expect(squeeze(screen)).toContain(squeeze(codeBlock('README.md', '', 'A change of size')));
});

it('docs/preview.md shows what the CLI prints', async () => {
  const { stack } = await startQuickstart();
  await stack.run('up', '--yes');
  const page = 'docs/preview.md';
  for (const heading of ['A change of size', 'A change of size, with restarts forbidden']) {
    let screen = '';
    for (const words of readCommands(codeBlock(page, 'sh', heading)))
      ({ screen } = await stack.try(...words));
    const anonymous = screen.replace(/\bep-[a-z]+-[a-z]+-\d+\b/g, 'ENDPOINT_ID');
    // The order of the resources under Diagnostics varies, so each line is compared by itself.
    for (const line of codeBlock(page, '', heading).split('\n'))
      expect(squeeze(anonymous)).toContain(squeeze(line));
  }
});

it('docs/add-an-endpoint.md creates an endpoint, and warns as shown', async () => {
  const { stack, emulator, project, branch } = await startProgram();
  const page = 'docs/add-an-endpoint.md';
  const program = codeBlock(page, 'ts', '3. Declare the endpoint')
    .replace('PROJECT_ID', project.id)
    .replace('BRANCH_ID', branch.id);
  await stack.writeProgram(program);
  let screen = '';
  for (const words of readCommands(codeBlock(page, 'sh', '4. Preview and apply')))
    ({ screen } = await stack.run(...words, ...(words[0] === 'up' ? ['--yes'] : [])));
  const created = emulator.endpoints().find(({ branch_id }) => branch_id === branch.id);
  expect(screen).toContain(created?.host ?? 'the host of an endpoint that was created');

  await stack.writeProgram(program.replace('autoscalingLimitMaxCu: 1', 'autoscalingLimitMaxCu: 2'));
  const preview = await stack.run('preview');
  expect(squeeze(preview.screen)).toContain(squeeze(codeBlock(page, '', '5. Change it')));
});

/** Collapses white space, and removes the CLI's progress lines, whose number of dots varies. */
function squeeze(text: string): string {
  return text
    .replace(/^@ .*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
