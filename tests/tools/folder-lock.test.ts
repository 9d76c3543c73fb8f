import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFolderLock } from '../../tools/setup/folder-lock.mjs';
import { makeTemporaryFolder, writeFiles } from '../temporary-folder';

interface Gate {
  opened: Promise<void>;
  open: () => void;
}

function makeGate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function deadProcessId(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

test('lets the second wait, with a message, until the first has finished', async () => {
  const lock = join(makeTemporaryFolder(), 'setup.lock');
  const gate = makeGate();
  const order: string[] = [];
  const first = withFolderLock(lock, { log: () => {} }, async () => {
    await gate.opened;
    order.push('first');
  });
  const log = (message: string): void => {
    order.push(message);
    gate.open();
  };

  await withFolderLock(lock, { log }, async () => order.push('second'));
  await first;

  expect(order).toEqual([`waiting for another set-up (process ${process.pid}) to finish`, 'first', 'second']);
});

test('takes over from a process that has died, one at a time', async () => {
  const folder = makeTemporaryFolder();
  const lock = join(folder, 'setup.lock');
  const owner = { token: 'dead', processId: deadProcessId(), host: hostname() };
  writeFiles(lock, { 'owner.json': owner });
  let holders = 0;
  const mostHolders: number[] = [];
  const hold = (): Promise<void> =>
    withFolderLock(lock, { log: () => {} }, async () => {
      holders += 1;
      await new Promise(setImmediate);
      mostHolders.push(holders);
      holders -= 1;
    });

  await Promise.all([hold(), hold(), hold()]);

  expect(mostHolders).toEqual([1, 1, 1]);
  expect(readdirSync(folder)).toEqual([]);
});

test('gives the lock back when the work fails', async () => {
  const lock = join(makeTemporaryFolder(), 'setup.lock');

  const failing = withFolderLock(lock, { log: () => {} }, () => Promise.reject(new Error('no space left')));

  await expect(failing).rejects.toThrow('no space left');
  expect(existsSync(lock)).toBe(false);
});

test('stops waiting when interrupted and leaves the lock to its owner', async () => {
  const lock = join(makeTemporaryFolder(), 'setup.lock');
  const interruption = new AbortController();
  writeFiles(lock, { 'owner.json': { token: 'busy', processId: process.pid, host: hostname() } });

  const waiting = withFolderLock(
    lock,
    { log: () => interruption.abort(), signal: interruption.signal },
    async () => {},
  );

  await expect(waiting).rejects.toThrow(/aborted/);
  expect(existsSync(join(lock, 'owner.json'))).toBe(true);
});
