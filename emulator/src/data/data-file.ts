import { existsSync, rmdirSync } from 'node:fs';
import type { Database, Statement } from 'node-sqlite3-wasm';
import type { ProjectRecord } from '../records/records';
import { reasonOf } from '../records/thrown-reason';
import { lockDataFile, type Unlock } from './data-file-lock';
import { type ProjectDocuments, restoreProject } from './documents';
import { createDataFile, openDatabase, PARTS } from './open-database';

/** A row to write. */
export interface Row {
  readonly table: 'projects' | (typeof PARTS)[number];
  /** The id of the project, and that of a part of it. */
  readonly ids: readonly string[];
  /** null deletes the project, and everything in it. */
  readonly document: object | null;
}

/** The SQLite file of an emulator. Each `write` is one transaction, which is on the disk before it returns. */
export class DataFile {
  readonly #name: string;
  readonly #database: Database;
  readonly #unlock: Unlock | undefined;
  readonly #statements = new Map<string, Statement>();

  private constructor(name: string, database: Database, unlock: Unlock | undefined) {
    this.#name = name;
    this.#database = database;
    this.#unlock = unlock;
  }

  /**
   * Opens the file, or creates it.
   * @throws Error when it cannot be opened, is in use, is not an emulator's file, or was written by another version of the emulator
   */
  static async open(name: string): Promise<DataFile> {
    const file = createDataFile(name);
    const unlock = lockDataFile(file);
    // SQLite's own lock is an empty folder, which a killed process leaves behind.
    const folder = `${file}.lock`;
    const hint = unlock ? '' : `, or a killed one has left the folder ${folder}: remove it`;
    if (unlock === 'taken' || (unlock === undefined && existsSync(folder)))
      throw new Error(
        `the data file ${name} is in use by another emulator: stop that emulator, or choose another file${hint}`,
      );
    try {
      if (existsSync(folder)) rmdirSync(folder);
      return new DataFile(name, await openDatabase(file), unlock);
    } catch (error) {
      unlock?.();
      throw unreadable(name, error);
    }
  }

  /** The stored value of a setting. If there is none, stores and returns the given value. */
  keepSetting(setting: string, value: string): string {
    this.#run('INSERT INTO settings VALUES (?, ?) ON CONFLICT DO NOTHING', [setting, value]);
    return String(this.#database.get('SELECT value FROM settings WHERE name = ?', [setting])?.value);
  }

  /**
   * Every project, oldest first. Removes the operations that have ended, and the records of deleted objects, whose last
   * change is older than the given time.
   * @throws Error when the emulator cannot read a document
   */
  readProjects(since: string): ProjectRecord[] {
    try {
      for (const part of PARTS) {
        const isOver = part === 'operations' ? "'$.progress' = 'ended'" : "'$.isDeleted'";
        this.#run(
          `DELETE FROM ${part} WHERE document ->> ${isOver} AND document ->> '$.wire.updated_at' < ?`,
          [since],
        );
      }
      const [branches, endpoints, operations] = PARTS.map((part) => this.#readPart(part));
      return this.#database
        .all("SELECT id, document FROM projects ORDER BY document ->> '$.wire.created_at'")
        .map(({ id, document }) => {
          const key = String(id);
          // `write` stored each document.
          return restoreProject({
            project: JSON.parse(String(document)),
            branches: branches?.get(key) ?? [],
            endpoints: endpoints?.get(key) ?? [],
            operations: operations?.get(key) ?? [],
          } as ProjectDocuments);
        });
    } catch (error) {
      throw unreadable(this.#name, error);
    }
  }

  /**
   * Writes every row, or none if it throws. That of a project comes before those of its parts.
   * @throws Error when the file cannot be written, for example because the disk is full
   */
  write(rows: readonly Row[]): void {
    try {
      this.#database.exec('BEGIN');
      for (const row of rows) this.#write(row);
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      throw new Error(`the data file ${this.#name} cannot be written: ${reasonOf(error)}`, { cause: error });
    }
  }

  close(): void {
    try {
      for (const statement of this.#statements.values()) statement.finalize();
      this.#database.close();
    } finally {
      this.#unlock?.();
    }
  }

  #write({ table, ids, document }: Row): void {
    if (document === null) {
      this.#run(`DELETE FROM ${table} WHERE id = ?`, ids);
      return;
    }
    const places = ids.map(() => '?, ').join('');
    const update = 'ON CONFLICT DO UPDATE SET document = excluded.document';
    this.#run(`INSERT INTO ${table} VALUES (${places}?) ${update}`, [...ids, JSON.stringify(document)]);
  }

  /** The documents of each project. */
  #readPart(part: string): Map<string, unknown[]> {
    const rows = this.#database.all(
      `SELECT project_id, document FROM ${part} ORDER BY document ->> '$.wire.created_at'`,
    );
    const byProject = new Map<string, unknown[]>();
    for (const { project_id, document } of rows) {
      const documents = byProject.get(String(project_id)) ?? [];
      documents.push(JSON.parse(String(document)));
      byProject.set(String(project_id), documents);
    }
    return byProject;
  }

  /** Each statement is compiled once. */
  #run(sql: string, values: readonly string[]): void {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    statement.run([...values]);
  }
}

function unreadable(name: string, error: unknown): Error {
  return new Error(
    `the data file ${name} cannot be read: ${reasonOf(error)}; move it away, with the folder ${name}.postgres if there is one, to start with an empty file, or choose another file`,
    { cause: error },
  );
}
