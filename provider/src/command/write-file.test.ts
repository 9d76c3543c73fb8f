import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { commandFile, commandOf } from '../../../tests/support/start-command';
import { startHttpService } from '../../../tests/support/start-http-service';
import { makeTemporaryFolder } from '../../../tests/support/temporary-folder';
import { writeWholeFile } from './write-file';

function makeFile() {
  const file = join(makeTemporaryFolder(), 'import.json');
  writeFileSync(file, 'earlier');
  return file;
}

it('a file that cannot be written completely stays as it was', async () => {
  const { environment } = commandOf(await startHttpService());
  const file = makeFile();
  const env = { ...process.env, ...environment };
  const words = ['-c', 'ulimit -f 1 && exec "$@"', 'sh', process.execPath, commandFile];
  const command = promisify(execFile)('sh', [...words, 'import-file', '--output', file], { env });
  await expect(command).rejects.toMatchObject({
    code: 5,
    stdout: '',
    stderr: expect.stringMatching(`^error: Can't write ${file}: EFBIG`),
  });
  expect(readFileSync(file, 'utf8')).toBe('earlier');
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
});

it('writes the file that a symbolic link names', async () => {
  const file = makeFile();
  const link = join(dirname(file), 'link.json');
  symlinkSync(file, link);
  await writeWholeFile(link, 'text');
  expect(readFileSync(file, 'utf8')).toBe('text');
});

it('writes to a pipe instead of replacing it', async () => {
  const pipe = join(makeTemporaryFolder(), 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const reader = promisify(execFile)('cat', [pipe]);
  await writeWholeFile(pipe, 'text');
  expect((await reader).stdout).toBe('text');
});
