import { chmodSync, existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hashPins } from '../../tools/pulumi-cli/build-from-modules.mjs';
import { ensurePulumiCli, findPulumiCli } from '../../tools/pulumi-cli/find.mjs';
import { makeTemporaryFolder, writeFiles } from '../temporary-folder';

const COMPANIONS = ['pulumi-language-nodejs', 'pulumi-resource-pulumi-nodejs'];

function writePrograms(folder: string, programs: Record<string, string>): void {
  writeFiles(folder, programs);
  for (const name of Object.keys(programs)) chmodSync(join(folder, name), 0o755);
}

function folderWithCli(version: string, companions: readonly string[] = COMPANIONS): string {
  const folder = makeTemporaryFolder();
  writePrograms(folder, { pulumi: `#!/bin/sh\necho v${version}\n` });
  writePrograms(folder, Object.fromEntries(companions.map((name) => [name, '#!/bin/sh\n'])));
  return folder;
}

function environmentOf(path: string[], cliFolder = makeTemporaryFolder()): NodeJS.ProcessEnv {
  return { PATH: path.join(':'), PULUMI_CLI_DIR: cliFolder };
}

test('takes a recent CLI on PATH before the project folder', () => {
  const onPath = folderWithCli('3.254.0');

  expect(findPulumiCli({ environment: environmentOf([onPath], folderWithCli('3.259.0')) })).toEqual({
    command: join(onPath, 'pulumi'),
    folder: onPath,
    version: '3.254.0',
    origin: 'path',
  });
});

test('passes over a CLI on PATH that is too old, and says so', () => {
  const old = folderWithCli('3.99.1');
  const recent = folderWithCli('3.1000.0');
  const messages: string[] = [];

  const found = findPulumiCli({
    environment: environmentOf([old, recent]),
    log: (message) => messages.push(message),
  });

  expect(found?.folder).toBe(recent);
  expect(messages).toEqual([`${join(old, 'pulumi')} is 3.99.1, older than 3.254.0: passed over`]);
});

test.each(COMPANIONS)('passes over a CLI on PATH without %s', (missing) => {
  const folder = folderWithCli(
    '3.259.0',
    COMPANIONS.filter((name) => name !== missing),
  );

  expect(findPulumiCli({ environment: environmentOf([folder]) })).toBeUndefined();
});

test('finds the language host beside the binary that a link on PATH leads to', () => {
  const linked = makeTemporaryFolder();
  symlinkSync(join(folderWithCli('3.259.0'), 'pulumi'), join(linked, 'pulumi'));

  expect(findPulumiCli({ environment: environmentOf([linked]) })?.folder).toBe(linked);
});

test('passes over a program that does not answer with a version', () => {
  const folder = folderWithCli('3.259.0');
  writePrograms(folder, { pulumi: '#!/bin/sh\necho broken >&2\nexit 1\n' });

  expect(findPulumiCli({ environment: environmentOf([folder]) })).toBeUndefined();
});

test.each(['.', 'bin'])('finds the CLI that was put into PULUMI_CLI_DIR, in %s', (below) => {
  const root = makeTemporaryFolder();
  const folder = join(root, below);
  if (below !== '.') symlinkSync(folderWithCli('3.259.0'), folder);
  if (below === '.') writePrograms(root, { pulumi: '#!/bin/sh\necho v3.259.0\n' });
  if (below === '.') for (const name of COMPANIONS) writePrograms(root, { [name]: '#!/bin/sh\n' });

  expect(findPulumiCli({ environment: environmentOf([], root) })).toMatchObject({ folder, origin: 'folder' });
});

test.each([
  ['finished with the present pins', { state: 'finished', pins: hashPins() }, 'built'],
  ['of an interrupted installation', { state: 'unfinished', pins: hashPins() }, undefined],
  ['built from other pins', { state: 'finished', pins: 'other' }, undefined],
])('judges a CLI %s', (_what, stamp, origin) => {
  const folder = folderWithCli('3.259.0');
  writeFiles(folder, { 'installed.json': { ...stamp, origin: 'built' } });

  expect(findPulumiCli({ environment: environmentOf([], folder) })?.origin).toBe(origin);
});

test('installs nothing when a CLI is there', async () => {
  const empty = makeTemporaryFolder();
  const environment = environmentOf([folderWithCli('3.259.0')], join(empty, 'cli'));

  await ensurePulumiCli({ environment });

  expect(existsSync(join(empty, 'cli'))).toBe(false);
});
