import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { load } from 'js-yaml';
import { expect, it } from 'vitest';
import { repository } from '../support/documents';

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: repository,
  encoding: 'utf8',
})
  .trim()
  .split('\n');

it.each(pages)('no cell of %s is longer than 200 characters', (page) => {
  const text = readFileSync(join(repository, page), 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  const cells = rows.flatMap((row) => row.split(/(?<!\\)\|/)).map((cell) => cell.trim());
  expect(cells.filter(({ length }) => length > 200)).toEqual([]);
});

it.each([
  ['README.md', 7],
  ['CONTRIBUTING.md', 8],
])('%s has at most %i KB', (page, kilobytes) => {
  expect(statSync(join(repository, page)).size).toBeLessThanOrEqual(kilobytes * 1024);
});

const examples = execFileSync('git', ['ls-files', 'examples/*/Pulumi.yaml'], {
  cwd: repository,
  encoding: 'utf8',
});

it.each(examples.trim().split('\n'))('the stacks of %s leave room for the plan at 80 columns', (path) => {
  const { name } = load(readFileSync(join(repository, path), 'utf8')) as { name: string };
  const readme = readFileSync(join(repository, dirname(path), 'README.md'), 'utf8');
  const stacks = [...readme.matchAll(/pulumi stack init (\S+)/g)].map(([, stack]) => `${name}-${stack}`);
  // The type of a dynamic endpoint takes 57 columns, `replace` and the spaces before it 9.
  expect(stacks.filter(({ length }) => length > 80 - 57 - 9)).toEqual([]);
});

const roots = ['', 'provider/src', 'emulator/src'];
const decisions = readFileSync(join(repository, 'docs/internals/decisions.md'), 'utf8');
const decidingFiles = [...decisions.matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(([, path = '']) => path);

it.each([...new Set(decidingFiles)])('%s of docs/internals/decisions.md exists', (path) => {
  expect(roots.map((root) => existsSync(join(repository, root, path)))).toContain(true);
});

const namedCode = [...decisions.matchAll(/`(#?\w+)` in `([\w.-]+\/[\w./-]*)`/g)].map(([, name, path]) => ({
  name,
  path,
}));

it.each(namedCode)('$name of docs/internals/decisions.md is in $path', ({ name = '', path = '' }) => {
  const files = roots.map((root) => join(repository, root, path)).filter((file) => existsSync(file));
  expect(files.map((file) => readFileSync(file, 'utf8')).join()).toContain(name);
});

it('each source file has one row on a page of docs/internals', () => {
  const listed = pages.filter((page) => page.startsWith('docs/internals/files-')).flatMap(listFiles);
  const folders = ['provider', 'emulator', 'tools', 'bench', 'tests'];
  const files = execFileSync('git', ['ls-files', ...folders], { cwd: repository, encoding: 'utf8' }).split(
    '\n',
  );
  const sources = files.filter(
    (file) => /\.(ts|m?js|py|grit|html|css)$/.test(file) && !/\.(test|d)\.ts$/.test(file),
  );
  expect(listed.sort()).toEqual(sources.sort());
});

/** The files of a page of tables, each below the heading of its folder. */
function listFiles(page: string): string[] {
  const folders = readFileSync(join(repository, page), 'utf8').split(/^## /m).slice(1);
  return folders.flatMap((text) => {
    const [, folder = ''] = /^`(.*)`/.exec(text) ?? [];
    return [...text.matchAll(/^\| `(.*?)` \|/gm)].map(([, file = '']) => folder + file);
  });
}
