import { existsSync, rmdirSync } from 'node:fs';
import type { Database, Statement } from 'node-sqlite3-wasm';
import type { ProjectRecord } from '../records/records';
import { reasonOf } from '../records/thrown-reason';
import { lockDataFile, type Unlock } from './data-file-lock';
import { type Row, restoreProject } from './documents';
import { createDataFile, openDatabase } from './open-database';

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
      const isOver =
        "kind = 'operations' AND document ->> '$.progress' = 'ended' OR document ->> '$.isDeleted'";
      this.#database.run(`DELETE FROM records WHERE (${isOver}) AND document ->> '$.wire.updated_at' < ?`, [
        since,
      ]);
      const rows = this.#database.all("SELECT * FROM records ORDER BY document ->> '$.wire.created_at'");
      const byProject = new Map<string, Row[]>();
      for (const { project_id, kind, id, document } of rows) {
        const projectId = String(project_id);
        // `write` stored each of them.
        const row = {
          projectId,
          kind: kind as Row['kind'],
          id: String(id),
          document: JSON.parse(String(document)),
        };
        const rowsOfProject = byProject.get(projectId) ?? [];
        rowsOfProject.push(row);
        byProject.set(projectId, rowsOfProject);
      }
      const projects = [...byProject.values()].map(restoreProject);
      return projects.toSorted(({ wire: one }, { wire: other }) =>
        one.created_at < other.created_at ? -1 : 1,
      );
    } catch (error) {
      throw unreadable(this.#name, error);
    }
  }

  /**
   * Writes every row, or none if it throws.
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

  #write({ projectId, kind, id, document }: Row): void {
    const update = 'ON CONFLICT DO UPDATE SET document = excluded.document';
    if (document === null) this.#run('DELETE FROM records WHERE project_id = ?', [projectId]);
    else
      this.#run(`INSERT INTO records VALUES (?, ?, ?, ?) ${update}`, [
        projectId,
        kind,
        id,
        JSON.stringify(document),
      ]);
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
