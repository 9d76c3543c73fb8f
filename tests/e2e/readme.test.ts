import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../pulumi-stack';
import { startProgram, startQuickstart } from './start-stack';

async function codeBlocks(language: string, document = 'README.md'): Promise<string[]> {
  const text = await readFile(join(repository, document), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].flatMap(([, name, code]) =>
    name === language && code !== undefined ? [code] : [],
  );
}

it('the smallest program of the README creates its endpoint', async () => {
  const { stack, emulator, branch } = await startProgram();
  const [program = ''] = await codeBlocks('ts');
  await stack.writeProgram(program);
  await stack.run('up', '--yes');
  expect(emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id)).toHaveLength(1);
});

it('the commands of the README lead to the preview that it shows', async () => {
  const { stack, project, branch } = await startQuickstart();
  const [, commands = ''] = await codeBlocks('sh');
  const [shown = ''] = await codeBlocks('');
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
  const commands = await codeBlocks('sh', 'docs/preview.md');
  const shown = await codeBlocks('', 'docs/preview.md');
  expect(shown).toHaveLength(commands.length);
  for (const [index, block] of commands.entries()) {
    let screen = '';
    for (const line of block.trim().split('\n')) ({ screen } = await stack.try(...line.split(' ').slice(1)));
    const anonymous = screen.replace(/\bep-[a-z]+-[a-z]+-\d+\b/g, 'ENDPOINT_ID');
    expect(squeeze(anonymous)).toContain(squeeze(shown[index] ?? ''));
  }
});

/** Spaces don't count, nor how many dots the CLI had time to print. */
function squeeze(text: string): string {
  return text
    .replace(/^@ .*$/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
