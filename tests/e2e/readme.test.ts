import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startProgram, startQuickstart } from './start-stack';

async function codeBlocks(language: string): Promise<string[]> {
  const text = await readFile(join(__dirname, '..', '..', 'README.md'), 'utf8');
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
  const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim();
  expect(squeeze(screen)).toContain(squeeze(shown));
});
