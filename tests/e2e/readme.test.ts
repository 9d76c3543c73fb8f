import { expect, it } from 'vitest';
import { codeBlock, codeBlocks } from '../support/documents';
import { startProgram, startQuickstart } from '../support/start-stack';

it('the smallest program of the README creates its endpoint', async () => {
  const { stack, emulator, branch } = await startProgram();
  const program = codeBlock('README.md', 'ts', 'The smallest program');
  await stack.writeProgram(program);
  await stack.run('up', '--yes');
  expect(emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id)).toHaveLength(1);
});

it('the commands of the README lead to the preview that it shows', async () => {
  const { stack, project, branch } = await startQuickstart();
  const commands = codeBlock('README.md', 'sh', 'Run it');
  const shown = codeBlock('README.md', '', 'Run it');
  let screen = '';
  for (const line of commands.trim().split('\n')) {
    const words = line.replace('PROJECT_ID', project.id).replace('BRANCH_ID', branch.id).split(' ').slice(1);
    const confirmed = words[0] === 'up' ? [...words, '--yes'] : words;
    ({ screen } = await stack.run(...confirmed));
  }
  expect(squeeze(screen)).toContain(squeeze(shown));
});

it('docs/preview.md shows what the CLI prints', async () => {
  const { stack } = await startQuickstart();
  await stack.run('up', '--yes');
  const commands = codeBlocks('docs/preview.md', 'sh');
  const shown = codeBlocks('docs/preview.md', '');
  expect(shown).toHaveLength(commands.length);
  for (const [index, block] of commands.entries()) {
    let screen = '';
    for (const line of block.trim().split('\n')) ({ screen } = await stack.try(...line.split(' ').slice(1)));
    const anonymous = screen.replace(/\bep-[a-z]+-[a-z]+-\d+\b/g, 'ENDPOINT_ID');
    // The CLI orders the resources under Diagnostics as they come, so each line counts by itself.
    for (const line of shown[index]?.split('\n') ?? []) expect(squeeze(anonymous)).toContain(squeeze(line));
  }
});

it('docs/add-an-endpoint.md leads to an endpoint, its host, and the warning that it shows', async () => {
  const { stack, emulator, project, branch } = await startProgram();
  const guide = 'docs/add-an-endpoint.md';
  const program = codeBlock(guide, 'ts', '3. Declare it');
  const commands = codeBlock(guide, 'sh', '4. Look, then apply');
  const warning = codeBlock(guide, '', '5. Change it');
  const ours = program.replace('PROJECT_ID', project.id).replace('BRANCH_ID', branch.id);
  await stack.writeProgram(ours);
  let screen = '';
  for (const line of commands.trim().split('\n')) {
    const words = line.split(' ').slice(1);
    ({ screen } = await stack.run(...words, ...(words[0] === 'up' ? ['--yes'] : [])));
  }
  const made = emulator.endpoints().find(({ branch_id }) => branch_id === branch.id);
  expect(screen).toContain(made?.host ?? 'the host of an endpoint that was made');

  await stack.writeProgram(ours.replace('autoscalingLimitMaxCu: 1', 'autoscalingLimitMaxCu: 2'));
  const preview = await stack.run('preview');
  expect(squeeze(preview.screen)).toContain(squeeze(warning));
});

/** Spaces don't count, nor how many dots the CLI had time to print. */
function squeeze(text: string): string {
  return text
    .replace(/^@ .*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
