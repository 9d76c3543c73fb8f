import type { ProjectRecord } from '../records/records';
import { DataFile } from './data-file';
import { SavingJournal } from './saving-journal';

/** The service lists operations for six months. */
const KEPT_MS = 183 * 24 * 3600 * 1000;

/** The initial data of an emulator, and the journal that saves its changes. */
export interface Data {
  readonly projects: readonly ProjectRecord[];
  readonly apiKey: string;
  readonly journal: SavingJournal;
}

/**
 * Opens the data file. It stores the fallback key, so that clients keep working after a restart. It does not store a
 * requested key, which the user keeps elsewhere.
 * @throws Error when the file cannot be used
 */
export async function openData(
  name: string,
  keys: { readonly requested: string | undefined; readonly fallback: string },
): Promise<Data> {
  const file = await DataFile.open(name);
  try {
    const projects = file.readProjects(new Date(Date.now() - KEPT_MS).toISOString());
    const apiKey = keys.requested ?? file.keepSetting('api_key', keys.fallback);
    return { projects, apiKey, journal: new SavingJournal(file) };
  } catch (error) {
    file.close();
    throw error;
  }
}
