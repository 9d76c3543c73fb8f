import type { ProjectRecord } from '../records/project-record';
import { DataFile } from './data-file';
import { SavingJournal } from './saving-journal';

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
    const projects = file.readProjects();
    const apiKey = keys.requested ?? file.keepSetting('api_key', keys.fallback);
    return { projects, apiKey, journal: new SavingJournal(file) };
  } catch (error) {
    file.close();
    throw error;
  }
}
