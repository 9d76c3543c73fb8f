import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, rmdirSync } from 'node:fs';
import { hasCode } from '../records/thrown-reason';

type Unlock = () => void;

/** O_EXLOCK of macOS and the BSDs, which Node does not define: open() takes the lock of flock(). */
const OPEN_LOCKED = 0x20;

const LOCKED_STATUS = 1;

/**
 * Locks a data file for this emulator, by another file beside it, because the data file itself is replaced. The operating
 * system releases the lock when the process ends, even by kill -9, so a lock is never stale. Only a process that may open the
 * file can take it. On Windows, and on Linux without the program flock, the lock is a folder, which a killed process leaves behind.
 * @throws Error when another emulator uses it, or the file system has no locks
 */
export function lockDataFile(name: string, file: string): Unlock {
  const folder = `${file}.locked`;
  const unlock = takeLock(`${file}.lock`) ?? lockByFolder(folder);
  if (typeof unlock === 'function') return unlock;
  const hint = unlock === 'exists' ? `, or a killed one has left the folder ${folder}: remove it` : '';
  throw new Error(
    `the data file ${name} is in use by another emulator: stop that emulator, or choose another file${hint}`,
  );
}

/** Undefined where the operating system cannot hold a lock. */
function takeLock(lock: string): Unlock | 'taken' | undefined {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? lockByFlock(lock) : lockByOpening(lock);
}

/** Node has no flock(). The lock belongs to the open file, which the program and this process share, so it outlives the program. */
function lockByFlock(lock: string): Unlock | 'taken' | undefined {
  const descriptor = openSync(lock, 'a', 0o600);
  const { status, stderr, error } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  });
  if (status === 0) return () => closeSync(descriptor);
  closeSync(descriptor);
  if (status === LOCKED_STATUS) return 'taken';
  if (hasCode(error, 'ENOENT')) return undefined;
  throw new Error(`${lock} cannot be locked: ${stderr?.trim() ?? error?.message}`);
}

function lockByOpening(lock: string): Unlock | 'taken' {
  const { O_CREAT, O_RDWR, O_NONBLOCK } = constants;
  try {
    const descriptor = openSync(lock, O_CREAT | O_RDWR | O_NONBLOCK | OPEN_LOCKED, 0o600);
    return () => closeSync(descriptor);
  } catch (error) {
    if (hasCode(error, 'EAGAIN')) return 'taken';
    throw error;
  }
}

function lockByFolder(folder: string): Unlock | 'exists' {
  try {
    mkdirSync(folder);
    return () => rmdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return 'exists';
    throw error;
  }
}
