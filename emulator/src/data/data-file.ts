import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import type { ProjectRecord } from '../records/records';
import { reasonOf } from '../records/thrown-reason';
import { lockDataFile } from './data-file-lock';
import { type Row, restoreProject } from './documents';

const DATA_VERSION = 4;
const HEAD = /^\{"postgres-control-emulator":(\d+)/;

/** The service lists operations for six months. */
const KEPT_MS = 183 * 24 * 3600 * 1000;
/** A file that has become so much longer than twice what it needs is rewritten. In bytes. */
const LEAST_SAVING = 16 * 1024 * 1024;

interface Contents {
  readonly head: { readonly 'postgres-control-emulator': number; readonly apiKey?: string | undefined };
  /** The last row of each record, by project, oldest first. */
  readonly projects: readonly (readonly Row[])[];
  /** Of its lines, in bytes. */
  readonly length: number;
}

/**
 * The data file of an emulator: JSON in lines. The first one says what the file is, and each `write` adds one, which is on the
 * disk before it returns. A later row replaces an earlier one of the same record. What comes after the last line break is what
 * a kill has interrupted.
 */
export class DataFile {
  /** Those that the file has when it is opened, oldest first. */
  readonly projects: readonly ProjectRecord[];
  readonly apiKey: string | undefined;
  readonly #name: string;
  readonly #file: string;
  readonly #unlock: () => void;
  #descriptor: number;
  #length: number;
  #longest = 0;

  private constructor(name: string, file: string, unlock: () => void, apiKey: string | undefined) {
    this.#name = name;
    this.#file = file;
    this.#unlock = unlock;
    const contents = readContents(file);
    const { head, projects, length } = contents;
    this.apiKey = head.apiKey ?? apiKey;
    this.projects = projects.map(restoreProject);
    this.#descriptor = openSync(file, 'a');
    this.#length = length;
    this.#rewrite({ ...contents, head: { ...head, apiKey: this.apiKey } });
  }

  /**
   * Opens the file, or creates it.
   * @param apiKey to store in a file that has none
   * @throws Error when it cannot be opened, is in use, is not an emulator's file, or was written by another version of the emulator
   */
  static open(name: string, apiKey?: string): DataFile {
    const file = createFile(name);
    const unlock = lockDataFile(name, file);
    try {
      return new DataFile(name, file, unlock, apiKey);
    } catch (cause) {
      unlock();
      throw new Error(
        `the data file ${name} cannot be read: ${reasonOf(cause)}; move it away, with the folder ${name}.postgres if there is one, to start with an empty file, or choose another file`,
        { cause },
      );
    }
  }

  /**
   * Writes every row, or none if it throws.
   * @throws Error when the file cannot be written, for example because the disk is full
   */
  write(rows: readonly Row[]): void {
    try {
      // An attempt that failed may have written a part of its line.
      ftruncateSync(this.#descriptor, this.#length);
      const line = lineOf(rows);
      writeFileSync(this.#descriptor, line);
      fdatasyncSync(this.#descriptor);
      this.#length += Buffer.byteLength(line);
      if (this.#length > this.#longest) this.#rewrite(readContents(this.#file));
    } catch (cause) {
      throw new Error(`the data file ${this.#name} cannot be written: ${reasonOf(cause)}`, { cause });
    }
  }

  close(): void {
    closeSync(this.#descriptor);
    this.#unlock();
  }

  /** Replaces the file by a new one, which only this user can read: it contains passwords and the key. */
  #rewrite({ head, projects }: Contents): void {
    const unfinished = `${this.#file}.new`;
    try {
      rmSync(unfinished, { force: true });
      const descriptor = openSync(unfinished, 'ax', 0o600);
      // Row by row: the whole may be too long for a string.
      for (const content of [head, ...projects.flat().map((row) => [row])])
        writeFileSync(descriptor, lineOf(content));
      fdatasyncSync(descriptor);
      renameSync(unfinished, this.#file);
      const former = this.#descriptor;
      this.#descriptor = descriptor;
      this.#length = fstatSync(descriptor).size;
      closeSync(former);
    } catch (cause) {
      // On a full disk, one that is not new stays as it is.
      if (this.#length === 0) throw cause;
    }
    this.#longest = 2 * this.#length + LEAST_SAVING;
  }
}

function createFile(name: string): string {
  try {
    closeSync(openSync(name, 'a', 0o600));
    return realpathSync(name);
  } catch (cause) {
    throw new Error(`the data file ${name} cannot be opened: ${reasonOf(cause)}`, { cause });
  }
}

const lineOf = (content: object): string => `${JSON.stringify(content)}\n`;

/**
 * What the file has, without the operations that have ended, and the records of deleted objects, that have not changed for
 * six months.
 */
function readContents(file: string): Contents {
  const bytes = readFileSync(file);
  const length = bytes.lastIndexOf('\n') + 1;
  if (bytes.length === 0)
    return { head: { 'postgres-control-emulator': DATA_VERSION }, projects: [], length };
  const [, version] = HEAD.exec(bytes.toString('latin1', 0, Math.min(length, 100))) ?? [];
  if (version === undefined) throw new Error('it is not a data file of the emulator');
  if (Number(version) !== DATA_VERSION)
    throw new Error(`another emulator wrote it (data version ${version}, this one knows ${DATA_VERSION})`);
  const [head, ...lines] = [...linesOf(bytes)].map((line) => JSON.parse(line));
  const projects = new Map<string, Map<string, Row>>();
  for (const row of lines.flat() as Row[]) {
    const rows = projects.get(row.projectId) ?? new Map<string, Row>();
    if (row.document === null) projects.delete(row.projectId);
    else projects.set(row.projectId, rows.set(`${row.kind} ${row.id}`, row));
  }
  const since = new Date(Date.now() - KEPT_MS).toISOString();
  const isKept = ({ document }: Row): boolean => {
    const isOver = document?.isDeleted || document?.progress === 'ended';
    return !isOver || document.wire.updated_at >= since;
  };
  return { head, projects: [...projects.values()].map((rows) => [...rows.values()].filter(isKept)), length };
}

function* linesOf(bytes: Buffer): Generator<string> {
  let start = 0;
  for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
    yield bytes.toString('utf8', start, end);
    start = end + 1;
  }
}
