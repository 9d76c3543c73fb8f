import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { startEmulator } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newDataFile } from '../support/data-emulator';
import { emulatorCommand, startCommand } from '../support/emulator-command';
import { openCommand } from '../support/open-command';
import { hasPostgres, type Place, PostgresEmulator, PostgresUser } from '../support/postgres-emulator';
import { makeTemporaryFolder } from '../support/temporary-folder';

/** Runs the command with Postgres in a process of its own. */
const startPostgresCommand = (...args: string[]) =>
  openCommand(['--postgres', '--postgres-port', '0', '--operation-ms', '0', ...args]);

/** The temporary folder of an emulator, which is part of the arguments of all its processes. */
const folderOf = (certificate = '') => /^.*\/pge-\w+/.exec(certificate)?.[0] ?? '';
const processesWith = (text: string) =>
  execFileSync('ps', ['-A', '-o', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((args) => args.includes(text));

/** A path for a data file, in a folder that the servers' user can enter when the tests run as root. */
const newReachableFile = () => {
  const data = newDataFile();
  chmodSync(dirname(data), 0o711);
  return data;
};

describe.skipIf(!hasPostgres)('the processes and folders of Postgres', () => {
  it('a process that cannot be started does not end the emulator', () => {
    const script = `const { openSync } = require('node:fs');
      const { runGuarded } = require('./emulator/dist/data-plane/guarded-process.js');
      try { for (;;) openSync('/dev/null'); } catch {}
      runGuarded('true', []).catch(({ message }) => setTimeout(() => console.log(message), 50));`;
    const words = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, '-e', script];
    expect(execFileSync('/bin/sh', words, { encoding: 'utf8' })).toMatch(
      /no process can be started for true/,
    );
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('nothing stays behind after %s', async (signal) => {
    const emulator = await startPostgresCommand();
    const folder = folderOf(emulator.postgresCertificate);
    const { connect, addEndpoint } = await new PostgresUser(emulator).createProject();
    await addEndpoint('read_only');
    const client = await connect();
    await client.query('CREATE TABLE visits AS SELECT generate_series(1, 1000)');
    expect(processesWith(`${folder}/`)).not.toEqual([]);
    await emulator.end(signal);
    await expect.poll(() => processesWith(folder)).toEqual([]);
    expect(existsSync(folder)).toBe(false);
    expect(client.cutOffBy).toBeDefined();
  });

  it.runIf(process.platform === 'linux')('a delete that cannot be saved destroys nothing', async () => {
    const data = newReachableFile();
    const first = await startPostgresCommand('--data', data);
    const before = new PostgresUser(first);
    const parent = await createVisits(before);
    const child = await before.createBranch(parent, 'read_write');
    // As on a full disk, its data file cannot grow any more.
    const bytes = statSync(data).size;
    execFileSync('prlimit', ['--pid', String(first.child.pid), `--fsize=${bytes}`]);
    for (const path of [`${parent.branchId}/databases/app`, child.branchId]) {
      const { status } = await parent.send('DELETE', `branches/${path}`);
      expect([path, status]).toEqual([path, 500]);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    await first.end('SIGKILL');

    const after = new PostgresUser(await startPostgresCommand('--data', data));
    for (const place of [parent, child]) expect(await readVisits(after.at(place))).toBe(7);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    "a branch in creation gets its parent's data after %s",
    async (signal) => {
      const data = newReachableFile();
      const first = await startPostgresCommand('--data', data, '--locks', 'none');
      const parent = await createVisits(new PostgresUser(first));
      const { body } = await parent.send('POST', 'branches', {
        branch: { parent_id: parent.branchId },
        endpoints: [{ type: 'read_write' }],
      });
      await first.end(signal);

      const after = new PostgresUser(await startPostgresCommand('--data', data)).at(parent);
      expect(await readVisits(after, body.endpoints[0]?.host)).toBe(7);
      expect(await readVisits(after)).toBe(7);
    },
  );
});

/** Creates a project with a table. */
async function createVisits(user: PostgresUser): Promise<Place> {
  const place = await user.createProject();
  await (await place.connect()).query('CREATE TABLE visits AS SELECT 7 AS number');
  return place;
}

async function readVisits({ connect }: Place, host?: string): Promise<unknown> {
  return (await connect({ ...(host && { host }) })).ask('SELECT number FROM visits');
}

describe.skipIf(!hasPostgres)('an emulator that starts with Postgres', () => {
  const openFile = (data: string) => PostgresEmulator.open({ data });

  it('removes data of deleted branches, refuses that of another version', async () => {
    const data = newReachableFile();
    const first = await openFile(data);
    const place = await first.createProject();
    await place.connect();
    const version = join(`${data}.postgres`, 'template', 'PG_VERSION');
    await first.emulator.stop();

    const written = readFileSync(version, 'utf8');
    writeFileSync(version, '9\n');
    await expect(openFile(data)).rejects.toThrow(/was written by Postgres 9, but .* use Postgres 9, or move/);
    writeFileSync(version, written);
    const second = await openFile(data);
    await second.call('DELETE', `/projects/${place.projectId}`);
    const folder = join(`${data}.postgres`, place.branchId);
    await expect.poll(() => existsSync(folder)).toBe(false);
  });

  it('does not give a branch empty data when its copy was interrupted', async () => {
    const data = newReachableFile();
    const first = await openFile(data);
    const parent = await first.createProject();
    await parent.connect();
    const child = await first.createBranch(parent, 'read_write');
    await first.emulator.stop();
    const folder = join(`${data}.postgres`, child.branchId);
    renameSync(folder, `${folder}.copying`);
    const second = await openFile(data);
    await expect(second.at(child).connect()).rejects.toThrow(/copy of its parent's data was not completed/);
    await second.at(parent).connect();
  });

  it.each(['link', 'folder'])(
    'refuses a %s that another user may have put in the place of its data',
    async (kind) => {
      const data = newReachableFile();
      const place = `${data}.postgres`;
      const elsewhere = makeTemporaryFolder();
      if (kind === 'link') symlinkSync(elsewhere, place);
      else mkdirSync(place);
      if (kind === 'folder') chmodSync(place, 0o777);
      const { uid } = statSync(place);
      await expect(openFile(data)).rejects.toThrow(/is not a folder that only this user can write to/);
      expect(statSync(place).uid).toBe(uid);
    },
  );

  it('tells a client which stored settings keep its compute from starting', async () => {
    const data = newReachableFile();
    const without = await startEmulator({ data, locks: 'none' });
    onTestFinished(() => without.stop());
    const project = without.createProject();
    const [endpoint] = without.endpoints(project.id);
    const pg_settings = { archive_command: 'true' };
    without.changeEndpoint(endpoint?.id ?? '', { settings: { pg_settings } });
    await without.stop();
    const service = await openFile(data);
    const role = `/projects/${project.id}/branches/${endpoint?.branch_id}/roles/app_owner`;
    const { password } = (await service.call('GET', `${role}/reveal_password`)).body;
    const login = { host: endpoint?.host ?? '', role: 'app_owner', password, database: 'app' };
    await expect(service.connect(login)).rejects.toThrow(/pg_settings.archive_command is not allowed/);
  });

  it.skipIf(process.getuid?.() !== 0)('needs a folder that the user of the servers can enter', async () => {
    const started = startEmulator({ postgres: true, postgresPort: 0, data: newDataFile() });
    await expect(started).rejects.toThrow(/user 65534, which cannot write to .*service.db.postgres/);
  });

  it.skipIf(process.getuid?.() !== 0)('needs a user that has a name', async () => {
    const [uid, folder] = [54_321, makeTemporaryFolder()];
    chownSync(folder, uid, uid);
    const words = [process.execPath, emulatorCommand, '--postgres', '--postgres-port', '0'];
    const env = { ...process.env, TMPDIR: folder };
    await expect(startCommand(words, { uid, gid: uid, cwd: '/', env })).rejects.toThrow(
      /Postgres needs a user that has a name, and user 54321 has none on this machine/,
    );
  });

  it('needs the programs of Postgres', async () => {
    const folder = makeTemporaryFolder();
    await expect(startEmulator({ postgres: folder })).rejects.toThrow(
      `${folder} has no programs initdb and postgres: pass the folder that contains them.`,
    );
  });
});
