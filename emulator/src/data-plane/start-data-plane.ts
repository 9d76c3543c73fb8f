import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../gateway/gateway';
import type { Settings } from '../options/emulator-options';
import type { ProjectRecord } from '../records/records';
import { BranchData } from './branch-data';
import { findPostgres } from './find-postgres';
import { removeAtEnd } from './guarded-process';
import { PostgresDataPlane } from './postgres-data-plane';
import { giveToServer } from './server-files';

/**
 * Starts the gateway and prepares the servers. The data is in a folder beside the data file, or in a temporary folder.
 * @throws Error when there is no Postgres, the port is taken, or the folder cannot be used
 */
export async function startDataPlane(
  { postgres, postgresPort, host, data: dataFile }: Settings,
  projects: readonly ProjectRecord[],
  saved: () => Promise<void>,
) {
  if (process.platform === 'win32') throw new Error('The option postgres needs Linux or macOS.');
  // A short name, because the path of a socket is limited to about 100 bytes.
  const temporary = mkdtempSync(join(tmpdir(), 'pge-'));
  const remove = removeAtEnd(temporary);
  try {
    giveToServer(temporary);
    const binaries = findPostgres(
      typeof postgres === 'string' ? postgres : undefined,
      join(temporary, 'bin'),
    );
    const data = dataFile === undefined ? join(temporary, 'data') : `${realpathSync(dataFile)}.postgres`;
    const branchIds = new Set(projects.flatMap(({ branches }) => [...branches.keys()]));
    const branchData = await BranchData.open(binaries, { data, temporary }, branchIds, saved);
    const dataPlane = new PostgresDataPlane(branchData, projects);
    const folder = join(data, 'certificates');
    mkdirSync(folder, { recursive: true });
    const gateway = await startGateway({ computes: dataPlane, host, port: postgresPort, folder });
    dataPlane.port = gateway.port;
    for (const project of projects) branchData.copies.resume(project);
    const stop = async (): Promise<void> => {
      await dataPlane.stop();
      await gateway.stop();
      await remove();
    };
    return { dataPlane, gateway, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}
