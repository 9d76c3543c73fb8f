import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import execa from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { withLock } from '../../tools/setup/lock.mjs';
import { isRunning } from '../support/running-process';
import { makeTemporaryFolder, writeFiles, writePrograms } from '../support/temporary-folder';

const LEFT_PAD = { version: '1.3.0', integrity: 'sha512-left' };
const DARWIN_ONLY = { version: '2.0.0', integrity: 'sha512-darwin', optional: true };
const LOCK = {
  packages: { '': {}, 'node_modules/left-pad': LEFT_PAD, 'node_modules/darwin-only': DARWIN_ONLY },
};
/** Installs a compiler that records how it was called. While the file `block` exists, it ignores SIGTERM and runs on. */
const NPM = `#!/bin/sh
echo "npm $*" >> commands
env > npm-environment
trap '' TERM
echo $$ > npm.pid
while [ -e block ]; do sleep 0.1; done
if [ -e full ]; then echo 'no space left'; exit 3; fi
mkdir -p node_modules/typescript/bin
echo 'require("node:fs").appendFileSync("commands", ["tsc", ...process.argv.slice(2), "\\\\n"].join(" "))' > node_modules/typescript/bin/tsc
cp package-lock.json node_modules/.package-lock.json
`;

/** A repository with nothing but the set-up and a lock file, and a stand-in for npm. */
function bareClone() {
  const repository = makeTemporaryFolder();
  for (const name of ['setup.mjs', 'setup', 'child-environment.mjs'])
    cpSync(join('tools', name), join(repository, 'tools', name), { recursive: true });
  writeFiles(repository, { 'package-lock.json': LOCK });
  writePrograms(join(repository, 'bin'), { npm: NPM });
  const start = (env: NodeJS.ProcessEnv = {}) => {
    const PATH = `${join(repository, 'bin')}:${process.env.PATH}`;
    const options = { cwd: repository, env: { PATH, ...env }, reject: false } as const;
    const setUp = execa(process.execPath, ['tools/setup.mjs', '--no-pulumi'], options);
    onTestFinished(() => void setUp.kill('SIGKILL'));
    return setUp;
  };
  const read = (name: string) => {
    const file = join(repository, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  const startBlocked = async () => {
    writeFiles(repository, { block: '' });
    const setUp = start();
    await expect.poll(() => read('npm.pid')).toMatch(/\d+\n/);
    return { setUp, npm: Number(read('npm.pid')), unblock: () => rmSync(join(repository, 'block')) };
  };
  return { repository, start, startBlocked, read };
}

test('set-up runs npm ci once on a bare clone, then only tsc --build', async () => {
  const { start, read } = bareClone();

  const first = await start();
  const second = await start();

  expect(first.stdout.split('\n')).toEqual([
    'set-up: npm ci, because node_modules is missing or incomplete',
    'set-up: tsc --build',
  ]);
  expect(second.stdout).toBe('set-up: tsc --build');
  expect(read('commands').trim().split(/ ?\n/).sort()).toEqual([
    'npm ci --ignore-scripts --no-audit --no-fund',
    'tsc --build emulator',
    'tsc --build emulator --force',
    'tsc --build provider',
    'tsc --build provider --force',
  ]);
});

test.each([
  ['runs npm ci', 'another version', { 'node_modules/left-pad': { ...LEFT_PAD, version: '1.2.0' } }],
  ['runs npm ci', 'other contents', { 'node_modules/left-pad': { ...LEFT_PAD, integrity: 'sha512-other' } }],
  ['runs npm ci', 'a missing package', {}],
  ['runs npm ci', 'an extra package', { ...LOCK.packages, 'node_modules/extra': { version: '1.0.0' } }],
  ['skips npm ci', 'only the packages for this platform', { 'node_modules/left-pad': LEFT_PAD }],
])('set-up %s with %s in node_modules', async (effect, _what, packages) => {
  const { repository, start, read } = bareClone();
  await start();
  writeFiles(repository, { commands: '', 'node_modules/.package-lock.json': { packages } });

  await start();

  expect(/^npm ci/m.test(read('commands'))).toBe(effect === 'runs npm ci');
});

test('of two set-ups side by side, the second waits for the first', async () => {
  const { start, startBlocked, read } = bareClone();
  const first = await startBlocked();
  const second = start();
  const end = Promise.resolve(second); // Before the listener: execa collects the output from here on.
  await new Promise((resolve) => second.stdout?.once('data', resolve));

  first.unblock();

  expect((await first.setUp).exitCode).toBe(0);
  expect((await end).stdout).toBe('set-up: waiting for another set-up to finish\nset-up: tsc --build');
  expect(read('commands').match(/^npm ci/gm)).toHaveLength(1);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('an interrupted set-up leaves nothing, and the next finishes: %s', async (signal, code) => {
  const { start, startBlocked } = bareClone();
  const { setUp, npm, unblock } = await startBlocked();

  setUp.kill(signal);

  expect((await setUp).exitCode).toBe(code);
  expect(isRunning(npm)).toBe(false);
  unblock();
  expect((await start()).stdout).toMatch(/^set-up: npm ci, .*\nset-up: tsc --build$/);
});

test('set-up takes over the lock of a killed set-up', async () => {
  const lock = join(makeTemporaryFolder(), 'setup.lock');
  writeFiles(lock, {});
  const messages: string[] = [];
  const log = (message: string) => messages.push(message);

  await withLock(lock, { log, pollMs: 5 }, async () => messages.push('working'));

  expect(messages).toEqual([
    'waiting for another set-up to finish',
    'taking over from a set-up that was killed',
    'working',
  ]);
  expect(existsSync(lock)).toBe(false);
});

test('a failed npm ci is reported, and the next set-up runs it again', async () => {
  const { repository, start } = bareClone();
  writeFiles(repository, { full: '' });

  const { exitCode, stderr } = await start();

  expect(exitCode).toBe(1);
  expect(stderr).toBe('set-up failed: npm ci failed with exit code 3:\nno space left');
  rmSync(join(repository, 'full'));
  expect((await start()).exitCode).toBe(0);
});

test('set-up without package-lock.json fails', async () => {
  const { repository, start } = bareClone();
  rmSync(join(repository, 'package-lock.json'));

  expect((await start()).stderr).toBe(
    'set-up failed: package-lock.json is missing or not JSON: restore it from git.',
  );
});

test("npm ci runs without the service's key and Pulumi's secrets", async () => {
  const { start, read } = bareClone();
  const secrets = {
    POSTGRES_COMPUTE_API_KEY: 'secret',
    POSTGRES_COMPUTE_BASE_URL: 'secret',
    PULUMI_ACCESS_TOKEN: 'secret',
    PULUMI_CONFIG_PASSPHRASE: 'secret',
    PULUMI_CONFIG_PASSPHRASE_FILE: 'secret',
  };

  await start({ ...secrets, LANG: 'C' });

  expect(read('npm-environment')).toContain('LANG=C');
  expect(read('npm-environment')).not.toContain('secret');
});
