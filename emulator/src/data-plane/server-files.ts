import { spawnSync } from 'node:child_process';
import { chownSync, lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';

/** The user of the servers and their files: `nobody` if the emulator runs as root, as which Postgres refuses to run. */
export const SERVER_USER: { readonly uid: number; readonly gid: number } | undefined =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;

export function giveToServer(path: string): void {
  if (SERVER_USER !== undefined) chownSync(path, SERVER_USER.uid, SERVER_USER.gid);
}

export function makeServerFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  giveToServer(path);
  return path;
}

/** Writes a file that only that user can read. On a full disk, or after a kill, it has its former text. */
export function writeServerFile(path: string, text: string): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  giveToServer(unfinished);
  renameSync(unfinished, path);
}

/** @throws Error if another user has made the folder, or a link in its place, or can write to it */
export function checkOwned(folder: string): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  const owners = [process.getuid?.(), SERVER_USER?.uid];
  if (found.isDirectory() && owners.includes(found.uid) && (found.mode & 0o022) === 0) return;
  throw new Error(`${folder} is not a folder that only this user can write to: move it away`);
}

export function checkReachable(folder: string): void {
  if (SERVER_USER === undefined) return;
  if (spawnSync('test', ['-w', folder], { ...SERVER_USER, cwd: '/' }).status === 0) return;
  throw new Error(
    `Postgres does not run as root, so its servers run as user ${SERVER_USER.uid}, which cannot write to ${folder}: use a data file in a folder that this user can enter (without a data file, set TMPDIR to one), or run the emulator as another user`,
  );
}
