import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findPulumiCli } from '../../tools/pulumi-cli/find';
import { ensurePulumiCli } from '../../tools/pulumi-cli/install';
import { hashPins, pinnedVersion } from '../../tools/pulumi-cli/pins';
import { makeTemporaryFolder, writeFiles, writePrograms } from '../support/temporary-folder';

const COMPANIONS = [
  'pulumi-language-nodejs',
  'pulumi-language-python',
  'pulumi-language-go',
  'pulumi-language-yaml',
  'pulumi-language-python-exec',
  'pulumi-resource-pulumi-nodejs',
];
/** For the stand-ins that are shell scripts. */
const SYSTEM = ['/bin', '/usr/bin'];

function folderWithCli(version: string, companions: readonly string[] = COMPANIONS): string {
  const folder = makeTemporaryFolder();
  writePrograms(folder, { pulumi: `#!/bin/sh\necho v${version}\n` });
  writePrograms(folder, Object.fromEntries(companions.map((name) => [name, '#!/bin/sh\n'])));
  return folder;
}

function environmentOf(path: string[], cliFolder = makeTemporaryFolder()): NodeJS.ProcessEnv {
  return { PATH: path.join(':'), PULUMI_CLI_DIR: cliFolder };
}

test('a recent Pulumi CLI on PATH takes precedence over the project folder', () => {
  const onPath = folderWithCli('3.254.0');

  expect(findPulumiCli({ environment: environmentOf([onPath], folderWithCli('3.259.0')) })).toEqual({
    command: join(onPath, 'pulumi'),
    folder: onPath,
    version: '3.254.0',
  });
});

test('a Pulumi CLI that does not work is skipped with the reason', () => {
  const old = folderWithCli('3.99.1');
  const broken = makeTemporaryFolder();
  writePrograms(broken, { pulumi: '#!/bin/sh\nexit 1\n' });
  const incomplete = COMPANIONS.map((missing) => {
    const present = COMPANIONS.filter((name) => name !== missing);
    return { missing, folder: folderWithCli('3.259.0', present) };
  });
  const messages: string[] = [];
  const log = (message: string) => messages.push(message);

  // Each of the incomplete ones alone: on one PATH, they would complete each other.
  for (const folders of [[old, broken], ...incomplete.map(({ folder }) => [folder])])
    expect(findPulumiCli({ environment: environmentOf(folders), log })).toBeUndefined();

  expect(messages).toEqual([
    `skipped ${join(old, 'pulumi')}: 3.99.1 is older than 3.254.0`,
    `skipped ${join(broken, 'pulumi')}: \`pulumi version\` fails`,
    ...incomplete.map(
      ({ missing, folder }) => `skipped ${join(folder, 'pulumi')}: no ${missing} beside it or on PATH`,
    ),
  ]);
});

test('a Pulumi CLI after a skipped one on PATH is found', () => {
  const recent = folderWithCli('3.1000.0');

  expect(findPulumiCli({ environment: environmentOf([folderWithCli('3.99.1'), recent]) })?.folder).toBe(
    recent,
  );
});

test('a Pulumi CLI in a relative folder of PATH is not found', () => {
  const folder = relative('.', folderWithCli('3.259.0'));

  expect(findPulumiCli({ environment: environmentOf([folder]) })).toBeUndefined();
});

test('the language host is found beside a linked Pulumi CLI', () => {
  const linked = makeTemporaryFolder();
  symlinkSync(join(folderWithCli('3.259.0'), 'pulumi'), join(linked, 'pulumi'));

  expect(findPulumiCli({ environment: environmentOf([linked]) })?.folder).toBe(linked);
});

test.each(['.', 'bin'])('a Pulumi CLI that the user put into PULUMI_CLI_DIR is found in %s', (below) => {
  const root = makeTemporaryFolder();
  cpSync(folderWithCli('3.259.0'), join(root, below), { recursive: true });

  expect(findPulumiCli({ environment: environmentOf([], root) })?.folder).toBe(join(root, below));
});

test.each([
  ['the current pins', { pins: hashPins() }, true],
  ['other pins', { pins: 'other' }, false],
])('a Pulumi CLI that the set-up built from %s is used: %#', (_what, record, isFound) => {
  const folder = folderWithCli('3.259.0');
  writeFiles(folder, { 'installed.json': record });

  expect(findPulumiCli({ environment: environmentOf([], folder) }) !== undefined).toBe(isFound);
});

test('set-up installs no Pulumi CLI when there is one', async () => {
  const absent = join(makeTemporaryFolder(), 'cli');

  await ensurePulumiCli({ environment: environmentOf([folderWithCli('3.259.0')], absent) });

  expect(existsSync(absent)).toBe(false);
});

test('`pulumi version` runs with a new private home each time', () => {
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

/** A Go whose build writes a CLI without compiling it. It records its arguments and its environment in `seen`. */
function folderWithGo(): { folder: string; seen: string } {
  const folder = makeTemporaryFolder();
  const seen = join(folder, 'seen');
  const go = `#!/bin/sh
echo "go $*" >> ${seen}
env >> ${seen}
if [ "$1" = env ]; then echo go1.99.0; exit; fi
if [ "$1" = list ]; then echo ${folder}/module; exit; fi
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho v3.259.0\\n' > "$2"
chmod +x "$2"
`;
  writePrograms(folder, { go, 'module/python/cmd/pulumi-language-python-exec': '' });
  return { folder, seen };
}

test('a missing Pulumi CLI is built with its language hosts', async () => {
  const folder = makeTemporaryFolder();
  const environment = environmentOf([folderWithGo().folder, ...SYSTEM], folder);

  const cli = await ensurePulumiCli({ environment });

  expect(cli.folder).toBe(folder);
  expect(readdirSync(folder).sort()).toEqual(['installed.json', 'pulumi', ...COMPANIONS].sort());
  const { pins } = JSON.parse(readFileSync(join(folder, 'installed.json'), 'utf8'));
  expect(pins).toBe(hashPins());
});

test('Pulumi CLIs of one folder are built once, by two set-ups at once', async () => {
  const { folder, seen } = folderWithGo();
  const environment = environmentOf([folder, ...SYSTEM]);

  await Promise.all([ensurePulumiCli({ environment }), ensurePulumiCli({ environment })]);

  expect(readFileSync(seen, 'utf8').match(/^go \w+/gm)).toEqual([
    'go env',
    ...Array(5).fill('go build'),
    'go list',
  ]);
});

test('each binary is built with its own version', async () => {
  const { folder, seen } = folderWithGo();

  await ensurePulumiCli({ environment: environmentOf([folder, ...SYSTEM]) });

  const builds = readFileSync(seen, 'utf8').matchAll(/^go build .* -X (\S+=v[\d.]+) .*\/(\S+)$/gm);
  expect([...builds].map(([, version, name]) => [name, version])).toEqual([
    ['pulumi', 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.259.0'],
    ['pulumi-language-nodejs', 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.68.0'],
    ['pulumi-language-python', 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.68.0'],
    ['pulumi-language-go', 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.64.0'],
    ['pulumi-language-yaml', 'github.com/pulumi/pulumi-yaml/pkg/version.Version=v1.38.1'],
  ]);
});

test('the YAML language host is pinned to the Pulumi modules of the CLI', () => {
  const pinned = readFileSync('tools/pulumi-cli/language-yaml/go.mod', 'utf8');
  const modules = pinned.matchAll(/github\.com\/pulumi\/pulumi\/(pkg|sdk)\/v3 v(\S+)/g);

  expect([...modules].map(([, name, version]) => [name, version])).toEqual([
    ['pkg', pinnedVersion()],
    ['sdk', pinnedVersion()],
  ]);
});

test("Go runs without the service's key and Pulumi's access token", async () => {
  const { folder, seen } = folderWithGo();
  const secrets = { POSTGRES_COMPUTE_API_KEY: 'secret', PULUMI_ACCESS_TOKEN: 'secret' };

  await ensurePulumiCli({ environment: { ...environmentOf([folder, ...SYSTEM]), ...secrets } });

  expect(readFileSync(seen, 'utf8')).not.toContain('secret');
});

test('without Go, the set-up says in one sentence what to do', async () => {
  await expect(ensurePulumiCli({ environment: environmentOf([]) })).rejects.toThrow(
    /^Building the Pulumi CLI needs Go [\d.]+ or newer, and `go` does not run: install Go, or put a Pulumi CLI .* on PATH\.$/,
  );
});
