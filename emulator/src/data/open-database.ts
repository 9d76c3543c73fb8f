import { chmodSync, closeSync, openSync, realpathSync } from 'node:fs';
import type { Database } from 'node-sqlite3-wasm';
import { reasonOf } from '../records/thrown-reason';

/** "PGCE" in the file header distinguishes the emulator's databases from those of other programs. */
const APPLICATION_ID = 0x50474345;
const DATA_VERSION = 4;

const SCHEMA = `
  BEGIN;
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE records (
    project_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (project_id, kind, id)
  ) WITHOUT ROWID;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${DATA_VERSION};
  COMMIT;
`;

/**
 * Creates the file if it does not exist, and returns its real path.
 * @throws Error when it cannot be written
 */
export function createDataFile(file: string): string {
  try {
    closeSync(openSync(file, 'a', 0o600));
    return realpathSync(file);
  } catch (error) {
    throw new Error(`the data file ${file} cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Opens a file that no other process has open, and creates the tables of an empty one. Makes the file readable only for
 * this user, because it contains passwords and the key.
 *
 * SQLite must use a write-ahead log: when this build of it looks for an interrupted transaction, it mistakes its own lock
 * for that of another process, so it never rolls back from a rollback journal. It also lacks shared memory, so the log
 * needs exclusive mode.
 * @throws Error when the file is damaged, is not an emulator's file, or was written by another version of the emulator
 */
export async function openDatabase(file: string): Promise<Database> {
  // Loaded only here, so that an emulator without a data file never loads SQLite.
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const database = new sqlite.Database(file);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    const version = checkOrigin(database);
    chmodSync(file, 0o600);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    if (version === 0) database.exec(SCHEMA);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Returns the version of the data, 0 if the file is empty. Changes nothing, because the file may belong to another program. */
function checkOrigin(database: Database): number {
  const applicationId = readNumber(database, 'PRAGMA application_id');
  const version = readNumber(database, 'PRAGMA user_version');
  const tables = readNumber(database, 'SELECT count(*) FROM sqlite_schema');
  if (applicationId === 0 && version === 0 && tables === 0) return version;
  if (applicationId !== APPLICATION_ID) throw new Error('it is a database of another program');
  if (version !== DATA_VERSION) {
    throw new Error(`another emulator wrote it (data version ${version}, this one knows ${DATA_VERSION})`);
  }
  const finding = database.get('PRAGMA quick_check(1)')?.quick_check;
  if (finding !== 'ok') throw new Error(`it is damaged: ${finding}`);
  return version;
}

function readNumber(database: Database, sql: string): number {
  const row = database.get(sql) ?? {};
  return Number(Object.values(row)[0]);
}
