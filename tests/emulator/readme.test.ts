import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { expect, it, onTestFinished } from 'vitest';
import { codeBlock, repository } from '../support/documents';

const root = dirname(require.resolve('postgres-control-emulator/package.json'));
const reference = readFileSync(join(repository, 'docs/emulator.md'), 'utf8');

/** The options in the reference's table. */
function readOptionsTable(): string[] {
  const table = reference.split('## Options')[1]?.split('\n## ')[0] ?? '';
  return [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name ?? '');
}

it('the program in the README runs', async () => {
  const program = codeBlock('emulator/README.md', 'ts', 'Start it');
  const node = ['--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: root });
  expect(stdout).toContain("type: 'read_write'");
});

it('the command in the README injects a fault', async () => {
  const emulator = await startEmulator();
  onTestFinished(() => emulator.stop());
  const env = {
    ...process.env,
    POSTGRES_COMPUTE_BASE_URL: emulator.url,
    POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
  };
  await promisify(execFile)('bash', ['-c', codeBlock('emulator/README.md', 'sh', 'Faults')], { env });
  expect(emulator.faults()).toMatchObject([{ fault: { effect: { kind: 'operation-fails' } } }]);
});

it('docs/emulator.md lists every option of the library', async () => {
  const options = Object.fromEntries(readOptionsTable().map((name) => [name, undefined]));
  // The error for an unknown option lists the known ones.
  const emulator = await startEmulator(options as EmulatorOptions);
  onTestFinished(() => emulator.stop());
  await expect(startEmulator({ ...options, none: 1 } as EmulatorOptions)).rejects.toThrow(
    `the options are ${readOptionsTable().join(', ')}`,
  );
});

it('the command accepts every option in docs/emulator.md', async () => {
  const command = join(root, 'bin/postgres-control-emulator.js');
  const { stdout } = await promisify(execFile)(process.execPath, [command, '--help']);
  const taken = [...stdout.matchAll(/^ {2}--([\w-]+)/gm)].map(([, name]) => name);
  const expected = readOptionsTable().map((name) =>
    name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`),
  );
  expect(taken.toSorted()).toEqual(expected.toSorted());
});
