import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, Receiver } from '../records/journal';
import type { ProjectRecord } from '../records/records';
import { DataFile } from './data-file';
import { rowsOf } from './documents';

/**
 * Saves changes to the data file, in one transaction per turn of the event loop. A request makes all its changes in one
 * turn, so a transaction never contains half of them.
 */
export class SavingJournal implements Receiver {
  /** Those that the data file had, oldest first. */
  readonly projects: readonly ProjectRecord[];
  readonly apiKey: string;
  readonly #file: DataFile;
  /** The last change of each record. Its row is made when it is written. */
  readonly #unsaved = new Map<object, Change>();
  #attempt: Promise<void> | undefined;

  /**
   * Opens the data file. It stores the fallback key, so that clients keep working after a restart. It does not store a
   * requested key, which the user keeps elsewhere.
   */
  constructor(name: string, keys: { readonly requested: string | undefined; readonly fallback: string }) {
    const { requested, fallback } = keys;
    this.#file = DataFile.open(name, requested === undefined ? fallback : undefined);
    this.projects = this.#file.projects;
    this.apiKey = requested ?? this.#file.apiKey ?? fallback;
  }

  note(change: Change): void {
    this.#unsaved.set(change.kind === 'projects' ? change.project : change.record, change);
    // The response to the request awaits `saved`, which reports a failure.
    if (this.#attempt === undefined) this.#saveSoon().catch(() => undefined);
  }

  /**
   * Resolves when all changes so far are on the disk.
   * @throws Error when they could not be written; the next change or call retries
   */
  async saved(): Promise<void> {
    if (this.#unsaved.size > 0) await this.#saveSoon();
  }

  /**
   * Writes the remaining changes and closes the file.
   * @throws Error when they could not be written; the file is closed anyway
   */
  close(): void {
    try {
      this.#save();
    } finally {
      this.#file.close();
    }
  }

  /** Saves at the end of this turn of the event loop. */
  #saveSoon(): Promise<void> {
    this.#attempt ??= nextTurn().then(() => {
      this.#attempt = undefined;
      this.#save();
    });
    return this.#attempt;
  }

  #save(): void {
    if (this.#unsaved.size === 0) return;
    this.#file.write([...this.#unsaved.values()].flatMap(rowsOf));
    this.#unsaved.clear();
  }
}
