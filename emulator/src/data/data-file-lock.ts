import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { hasCode } from '../records/thrown-reason';

/** Releases the file. */
export type Unlock = () => void;

/** O_EXLOCK of macOS and the BSDs, which Node does not define: open() takes the lock of flock(). */
const OPEN_LOCKED = 0x20;

/** Exit status of the flock program if the file is already locked. */
const LOCKED_STATUS = 1;

/**
 * Locks a file for this emulator, where the operating system can: it releases the lock when the process ends, even by
 * kill -9, so a lock is never stale. Only a process that may open the file can lock it.
 * @returns 'taken' if another emulator uses the file; undefined on Windows, and on Linux without the program flock
 * @throws Error when the file system has no locks
 */
export function lockDataFile(file: string): Unlock | 'taken' | undefined {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? lockByFlock(file) : lockByOpening(file);
}

/** Node has no flock(). The lock belongs to the open file, which the program and this process share, so it outlives the program. */
function lockByFlock(file: string): Unlock | 'taken' | undefined {
  const descriptor = openSync(file, 'r');
  const { status, stderr, error } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  });
  if (status === 0) return () => closeSync(descriptor);
  closeSync(descriptor);
  if (status === LOCKED_STATUS) return 'taken';
  if (hasCode(error, 'ENOENT')) return undefined;
  throw new Error(`the data file ${file} cannot be locked: ${stderr?.trim() ?? error?.message}`);
}

function lockByOpening(file: string): Unlock | 'taken' {
  try {
    const descriptor = openSync(file, constants.O_RDWR | constants.O_NONBLOCK | OPEN_LOCKED);
    return () => closeSync(descriptor);
  } catch (error) {
    if (hasCode(error, 'EAGAIN')) return 'taken';
    throw error;
  }
}
