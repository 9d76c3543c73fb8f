import { closeSync, constants, openSync, statSync } from 'node:fs';
import { createServer } from 'node:net';

/** Lets go of the file. */
export type Unlock = () => void;

/** Where the name of a socket belongs to the process: it goes with the process, and nothing of it stays on the disk. */
const SOCKET_NAMES: Partial<Record<NodeJS.Platform, string>> = {
  linux: '\0postgres-control-emulator-',
  win32: '\\\\.\\pipe\\postgres-control-emulator-',
};

/** O_EXLOCK of macOS and the BSDs, which Node has no name for: open() takes the lock of flock(). */
const OPEN_LOCKED = 0x20;

/**
 * Takes a file for this emulator alone. The operating system holds the lock and lets go of it when the process ends, by
 * kill -9 too, so there is never a stale one. It holds for one machine; on Linux, for one network namespace.
 * @returns undefined when another emulator has the file
 */
export async function lockDataFile(file: string): Promise<Unlock | undefined> {
  const prefix = SOCKET_NAMES[process.platform];
  // By the file's number, whatever name or link leads to it.
  const { dev, ino } = statSync(file, { bigint: true });
  return prefix === undefined ? lockByOpening(file) : lockBySocket(`${prefix}${dev}-${ino}`);
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
