import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findCodeBlock } from '../code-blocks';
import { repository } from '../pulumi-stack';
import { startProgram, startQuickstart } from './start-stack';

function readPage(path: string): Promise<string> {
  return readFile(join(repository, path), 'utf8');
}

/** The arguments of each `pulumi` command of a block. */
function readCommands(block: string): string[][] {
  const lines = block.trim().split('\n');
  return lines.map((line) => line.split(' ').slice(1));
}

it('the smallest program of the README creates its endpoint', async () => {
  const { stack, emulator, branch } = await startProgram();
  await stack.writeProgram(findCodeBlock(await readPage('README.md'), 'The smallest program', 'ts'));
  await stack.run('up', '--yes');
  expect(emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id)).toHaveLength(1);
});

it('the commands of the README lead to the preview that it shows', async () => {
  const { stack, project, branch } = await startQuickstart();
  const readme = await readPage('README.md');
  const commands = findCodeBlock(readme, 'Run it', 'sh')
    .replace('PROJECT_ID', project.id)
    .replace('BRANCH_ID', branch.id);
  let screen = '';
  for (const words of readCommands(commands))
    ({ screen } = await stack.run(...words, ...(words[0] === 'up' ? ['--yes'] : [])));
  expect(squeeze(screen)).toContain(squeeze(findCodeBlock(readme, 'Run it', '')));
});

it('docs/preview.md shows what the CLI prints', async () => {
  const { stack } = await startQuickstart();
  await stack.run('up', '--yes');
  const page = await readPage('docs/preview.md');
  for (const heading of ['A change of size', 'A change of size, with restarts forbidden']) {
    let screen = '';
    for (const words of readCommands(findCodeBlock(page, heading, 'sh')))
      ({ screen } = await stack.try(...words));
    const anonymous = screen.replace(/\bep-[a-z]+-[a-z]+-\d+\b/g, 'ENDPOINT_ID');
    // The CLI orders the resources under Diagnostics as they come, so each line counts by itself.
    for (const line of findCodeBlock(page, heading, '').split('\n'))
      expect(squeeze(anonymous)).toContain(squeeze(line));
  }
});

it('docs/add-an-endpoint.md leads to an endpoint, its host, and the warning that it shows', async () => {
  const { stack, emulator, project, branch } = await startProgram();
  const page = await readPage('docs/add-an-endpoint.md');
  const program = findCodeBlock(page, '3. Declare the endpoint', 'ts')
    .replace('PROJECT_ID', project.id)
    .replace('BRANCH_ID', branch.id);
  await stack.writeProgram(program);
  let screen = '';
  for (const words of readCommands(findCodeBlock(page, '4. Preview and apply', 'sh')))
    ({ screen } = await stack.run(...words, ...(words[0] === 'up' ? ['--yes'] : [])));
  const made = emulator.endpoints().find(({ branch_id }) => branch_id === branch.id);
  expect(screen).toContain(made?.host ?? 'the host of an endpoint that was made');

  await stack.writeProgram(program.replace('autoscalingLimitMaxCu: 1', 'autoscalingLimitMaxCu: 2'));
  const preview = await stack.run('preview');
  expect(squeeze(preview.screen)).toContain(squeeze(findCodeBlock(page, '5. Change it', '')));
});

/** Spaces don't count, nor how many dots the CLI had time to print. */
function squeeze(text: string): string {
  return text
    .replace(/^@ .*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
