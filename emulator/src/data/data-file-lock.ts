import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { hasCode } from '../records/thrown-reason';

/** Releases the file. */
export type Unlock = () => void;

/**
 * A socket name belongs to the process and leaves nothing on the disk. Any process on the machine, even another user's,
 * can take such a name: the file then counts as in use.
 */
const SOCKET_NAMES: Partial<Record<NodeJS.Platform, string>> = {
  linux: '\0postgres-control-emulator-',
  win32: '\\\\.\\pipe\\postgres-control-emulator-',
};

/** O_EXLOCK of macOS and the BSDs, which Node does not define: open() takes the lock of flock(). */
const OPEN_LOCKED = 0x20;

/** Exit status of the flock program if the file is already locked. */
const LOCKED_STATUS = 1;

/**
 * Locks a file for this emulator. The operating system holds the lock and releases it when the process ends, even by
 * kill -9, so a lock is never stale. On Linux only a process that may open the file can lock it. Without the flock
 * program, and on Windows, the lock is a socket name.
 * @returns undefined if another emulator uses the file
 * @throws Error when the file system has no locks
 */
export async function lockDataFile(file: string): Promise<Unlock | undefined> {
  if (process.platform === 'linux' && hasFlock()) return lockByFlock(file);
  const prefix = SOCKET_NAMES[process.platform];
  // The file's number is the same for every path or link to it.
  const { dev, ino } = statSync(file, { bigint: true });
  return prefix === undefined ? lockByOpening(file) : lockBySocket(`${prefix}${dev}-${ino}`);
}

/** Whether the flock program of util-linux or BusyBox exists. Node has no flock(). */
function hasFlock(): boolean {
  return spawnSync('flock', ['--help'], { stdio: 'ignore' }).error === undefined;
}

/** The lock belongs to the open file, which flock and this process share, so it outlives the flock program. */
function lockByFlock(file: string): Unlock | undefined {
  const descriptor = openSync(file, 'r');
  const { status, stderr } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', descriptor],
    encoding: 'utf8',
  });
  if (status === 0) return () => closeSync(descriptor);
  closeSync(descriptor);
  if (status === LOCKED_STATUS) return undefined;
  throw new Error(`the data file ${file} cannot be locked: ${stderr.trim()}`);
}

function lockBySocket(name: string): Promise<Unlock | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(name, () => resolve(() => server.close()));
  });
}

function lockByOpening(file: string): Unlock | undefined {
  try {
    const descriptor = openSync(file, constants.O_RDWR | constants.O_NONBLOCK | OPEN_LOCKED);
    return () => closeSync(descriptor);
  } catch (error) {
    if (hasCode(error, 'EAGAIN')) return undefined;
    throw error;
  }
}
