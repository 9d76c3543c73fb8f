import type { ProjectRecord } from '../records/project-record';
import { DataFile } from './data-file';
import { SavingJournal } from './saving-journal';

/** What an emulator starts with, and where it writes what changes. */
export interface Data {
  readonly projects: readonly ProjectRecord[];
  readonly apiKey: string;
  readonly journal: SavingJournal;
}

/**
 * Opens the data file. The key is kept in it, so that clients can go on after a restart; a key that was requested for is
 * not, as that is known elsewhere.
 * @throws Error when the file cannot be used
 */
export async function openData(
  name: string,
  keys: { readonly requested: string | undefined; readonly fresh: string },
): Promise<Data> {
  const file = await DataFile.open(name);
  try {
    const projects = file.readProjects();
    const apiKey = keys.requested ?? file.keepSetting('api_key', keys.fresh);
    return { projects, apiKey, journal: new SavingJournal(file) };
  } catch (error) {
    file.close();
    throw error;
  }
}
