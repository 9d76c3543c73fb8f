import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { createServer } from 'node:net';

/** Lets go of the file. */
export type Unlock = () => void;

/**
 * The name of a socket belongs to the process, and nothing of it stays on the disk. Any process of the machine can take
 * such a name, also another user's: the file then counts as in use.
 */
const SOCKET_NAMES: Partial<Record<NodeJS.Platform, string>> = {
  linux: '\0postgres-control-emulator-',
  win32: '\\\\.\\pipe\\postgres-control-emulator-',
};

/** O_EXLOCK of macOS and the BSDs, which Node has no name for: open() takes the lock of flock(). */
const OPEN_LOCKED = 0x20;

/** By the program flock: the file is locked already. */
const LOCKED_STATUS = 1;

/**
 * Takes a file for this emulator alone. The operating system holds the lock and releases it when the process ends, by
 * kill -9 too, so there is never a stale one. On Linux only a process that may open the file can take it; where the
 * program flock is missing, and on Windows, it is the name of a socket.
 * @returns undefined when another emulator has the file
 * @throws Error when the file system has no locks
 */
export async function lockDataFile(file: string): Promise<Unlock | undefined> {
  if (process.platform === 'linux' && hasFlock()) return lockByFlock(file);
  const prefix = SOCKET_NAMES[process.platform];
  // By the file's number, whatever name or link leads to it.
  const { dev, ino } = statSync(file, { bigint: true });
  return prefix === undefined ? lockByOpening(file) : lockBySocket(`${prefix}${dev}-${ino}`);
}

/** The program, of util-linux or BusyBox: Node has no flock(). */
function hasFlock(): boolean {
  return spawnSync('flock', ['--help'], { stdio: 'ignore' }).error === undefined;
}

/** The lock belongs to the open file, which the program and this process share, so it stays when the program ends. */
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
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}
