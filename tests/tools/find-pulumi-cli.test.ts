import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hashPins } from '../../tools/pulumi-cli/build-from-modules.mjs';
import { ensurePulumiCli, findPulumiCli } from '../../tools/pulumi-cli/find.mjs';
import { makeTemporaryFolder, writeFiles } from '../temporary-folder';

const COMPANIONS = ['pulumi-language-nodejs', 'pulumi-resource-pulumi-nodejs'];
/** For the stand-ins that are shell scripts. */
const SYSTEM = ['/bin', '/usr/bin'];

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

test('runs a CLI with a new private home each time, and deletes it', () => {
  const folder = folderWithCli('3.259.0');
  const homes = join(folder, 'homes');
  writePrograms(folder, { pulumi: `#!/bin/sh\nls -ld "$PULUMI_HOME" >> ${homes}\necho v3.259.0\n` });
  const environment = environmentOf([folder, ...SYSTEM]);
  const temporary = makeTemporaryFolder();
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());

  findPulumiCli({ environment });
  findPulumiCli({ environment });

  const listed = readFileSync(homes, 'utf8').trim().split('\n');
  expect(listed).toEqual(Array(2).fill(expect.stringMatching(`^drwx------.* ${temporary}/pulumi-version-`)));
  expect(new Set(listed.map((line) => line.split('/').pop())).size).toBe(2);
  expect(readdirSync(temporary)).toEqual([]);
});

/** A Go whose build writes a CLI without compiling it. It records its environment in `seen`. */
function folderWithGo(): { folder: string; seen: string } {
  const folder = makeTemporaryFolder();
  const seen = join(folder, 'seen');
  const go = `#!/bin/sh
echo "go $1" >> ${seen}
env >> ${seen}
if [ "$1" = env ]; then echo go1.99.0; exit; fi
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho v3.259.0\\n' > "$2"
chmod +x "$2"
`;
  writePrograms(folder, { go });
  return { folder, seen };
}

/** A stand-in for the official installer: it puts a CLI into the folder it is given. */
function writeInstaller(): string {
  const folder = makeTemporaryFolder();
  writeFiles(folder, {
    'installer.mjs': `
      import { cpSync } from 'node:fs';
      cpSync(${JSON.stringify(folderWithCli('3.259.0'))}, process.argv[2] + '/bin', { recursive: true });
    `,
  });
  return join(folder, 'installer.mjs');
}

test.each([
  ['built', 'by default', {}],
  ['installer', 'with PULUMI_CLI_INSTALLER=1', { PULUMI_CLI_INSTALLER: '1' }],
  [
    'built',
    'with PULUMI_CLI_SKIP_INSTALLER=1 too',
    { PULUMI_CLI_INSTALLER: '1', PULUMI_CLI_SKIP_INSTALLER: '1' },
  ],
])('the origin of a missing CLI is `%s` %s', async (origin, _when, settings) => {
  const environment = { ...environmentOf([folderWithGo().folder, ...SYSTEM]), ...settings };

  expect(await ensurePulumiCli({ environment, installer: writeInstaller() })).toMatchObject({ origin });
});

test('keeps the key of the service and the token of Pulumi from Go', async () => {
  const { folder, seen } = folderWithGo();
  const secrets = { POSTGRES_COMPUTE_API_KEY: 'secret', PULUMI_ACCESS_TOKEN: 'secret' };

  await ensurePulumiCli({ environment: { ...environmentOf([folder, ...SYSTEM]), ...secrets } });

  expect(readFileSync(seen, 'utf8').match(/^go \w+$/gm)).toEqual(['go env', 'go build', 'go build']);
  expect(readFileSync(seen, 'utf8')).not.toContain('secret');
});

test('says in one sentence what to do without Go', async () => {
  await expect(ensurePulumiCli({ environment: environmentOf([]) })).rejects.toThrow(
    /^Building the Pulumi CLI needs Go [\d.]+ or newer, and no `go` runs here: install Go, put a Pulumi CLI .* on PATH, or set PULUMI_CLI_INSTALLER=1 to allow the official installer, .*\.$/,
  );
});
