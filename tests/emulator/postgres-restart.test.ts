import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { newDataFile } from '../support/data-emulator';
import { hasPostgres, type Place, PostgresEmulator } from '../support/postgres-emulator';
import { isRunning } from '../support/running-process';

/** Starts an emulator with a data file that the servers' user can enter when the tests run as root. */
function open(data: string, options: EmulatorOptions = {}) {
  chmodSync(dirname(data), 0o711);
  return PostgresEmulator.open({ data, ...options });
}

describe.runIf(hasPostgres && process.platform === 'linux')('a server that was killed', () => {
  /** Kills the server of a query that does not end. */
  const killServer = async () => {
    const service = await PostgresEmulator.open();
    const { connect } = await service.createProject();
    const client = await connect();
    const backend = Number(await client.ask('SELECT pg_backend_pid()'));
    const status = readFileSync(`/proc/${backend}/status`, 'utf8');
    client.query('DO $$ BEGIN LOOP END LOOP; END $$').catch(() => undefined);
    process.kill(Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), 'SIGKILL');
    return { service, connect, backend };
  };

  it('starts again although a query of it still runs', async () => {
    const { connect } = await killServer();
    // At first, the emulator may not have noticed.
    const ask = async () => (await connect()).ask('SELECT 1');
    await expect.poll(() => ask().catch(() => undefined)).toBe(1);
  });

  it('starts again where another server has got its process id', async () => {
    const data = newDataFile();
    const service = await open(data);
    const [killed, other] = [await service.createProject(), await service.createProject()];
    const fileOf = (branchId: string) => join(`${data}.postgres`, branchId, 'postmaster.pid');
    for (const { connect } of [killed, other]) await (await connect()).query('SELECT');
    const [id = '', ...rest] = readFileSync(fileOf(killed.branchId), 'utf8').split('\n');
    process.kill(Number(id), 'SIGKILL');
    const [otherId] = readFileSync(fileOf(other.branchId), 'utf8').split('\n');
    writeFileSync(fileOf(killed.branchId), [otherId, ...rest].join('\n'));
    const ask = async () => (await killed.connect()).ask('SELECT 1');
    await expect.poll(() => ask().catch(() => undefined)).toBe(1);
  });

  it('leaves no process when the emulator ends', async () => {
    const { service, backend } = await killServer();
    await service.emulator.stop();
    await expect.poll(() => isRunning(backend)).toBe(false);
  });
});

it.skipIf(!hasPostgres)('a start makes the database that an earlier one could not', async () => {
  const data = newDataFile();
  const service = await open(data);
  // As on a full disk, there is no place for a database.
  const bases = (id: string) => join(`${data}.postgres`, id, 'base');
  chmodSync(bases('template'), 0o500);
  const { branchId, connect, command } = await service.createProject();
  await expect(connect()).rejects.toThrow('database "app" does not exist');
  for (const id of ['template', branchId]) chmodSync(bases(id), 0o700);
  await command('restart');
  await (await connect()).query('SELECT');
});

it.skipIf(!hasPostgres)('settings are not blamed for a server that cannot be tried', async () => {
  const data = newDataFile();
  const service = await open(data);
  const { patch } = await service.createProject();
  // As on a full disk, the trial gets no data.
  chmodSync(join(`${data}.postgres`, 'template', 'base'), 0);
  const { operations } = await patch({ settings: { pg_settings: { max_worker_processes: '9' } } });
  const [failed] = operations;
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(/^nice failed: cp: /) });
});

describe.skipIf(!hasPostgres)('a copy that was complete before its operation had ended', () => {
  it.each([
    ['of a restore', 'create_branch'],
    ['of a schema without tables', 'apply_schema_from_branch'],
  ])('%s is not made again: clients may have written since', async (_what, action) => {
    const data = newDataFile();
    const first = await open(data);
    const place = await first.createProject();
    const source_branch_id = place.branchId;
    /** Does not wait for the operations. */
    const create = async ({ send }: Place, origin: object) => {
      const branch = { parent_id: source_branch_id, ...origin };
      const { body } = await send('POST', 'branches', { branch });
      const endpoint = { branch_id: body.branch.id, type: 'read_write' };
      const added = await send('POST', 'endpoints', { endpoint });
      return { ...added.body.endpoint, branchId: body.branch.id };
    };
    if (action === 'create_branch') await (await place.connect()).query('SELECT');
    const restored = action === 'create_branch' ? await create(place, {}) : undefined;
    await place.endOperations();
    if (restored) await place.change('POST', `endpoints/${restored.id}/suspend`);
    await first.emulator.stop();
    const slow = await open(data, { operationMs: { [action]: 600_000, default: 100 } });
    const { send, connect, projectId } = slow.at(place);
    if (restored) await send('POST', `branches/${restored.branchId}/restore`, { source_branch_id });
    const { host } = restored ?? (await create(slow.at(place), { init_source: 'schema-only' }));
    await (await connect({ host })).query('CREATE TABLE visits AS SELECT 7 AS number');
    const isUnderWay = ({ status }: { status: string }) => status === 'running';
    expect(slow.emulator.operations(projectId).filter(isUnderWay)).toMatchObject([{ action }]);
    await slow.emulator.stop();
    const last = (await open(data)).at(place);
    await last.endOperations();
    expect(await (await last.connect({ host })).ask('SELECT number FROM visits')).toBe(7);
  });
});

it.skipIf(!hasPostgres)('a restore that was killed while it put its copy in place goes on', async () => {
  const data = newDataFile();
  const folderOf = (id: string) => join(`${data}.postgres`, id);
  const first = await open(data, { operationMs: 100 });
  const parent = await first.createProject();
  await (await parent.connect()).query('CREATE TABLE notes ()');
  const child = await first.createBranch(parent, 'read_write');
  await child.endOperations();
  await first.emulator.stop();
  const second = await open(data, { operationMs: { create_branch: 600_000, default: 100 } });
  const restore = { source_branch_id: parent.branchId };
  await second.at(child).send('POST', `branches/${child.branchId}/restore`, restore);
  const state = () => readFileSync(join(folderOf(child.branchId), 'emulator.json'), 'utf8');
  await expect.poll(state).toContain('copiedAt');
  await second.emulator.stop();
  renameSync(folderOf(child.branchId), `${folderOf(child.branchId)}.copying`);
  renameSync(folderOf(parent.branchId), `${folderOf(parent.branchId)}.away`);
  const last = (await open(data, { operationMs: 100 })).at(child);
  await last.endOperations();
  await (await last.connect()).query('SELECT FROM notes');
});

it.skipIf(!hasPostgres)('settings with which no server starts are taken back after a restart', async () => {
  const data = newDataFile();
  const first = await open(data, { operationMs: { apply_config: 600_000, default: 100 } });
  const place = await first.createProject();
  await (await place.connect()).query('SELECT');
  const bad = { settings: { pg_settings: { max_locks_per_transaction: '2000000000' } } };
  expect((await place.send('PATCH', `endpoints/${place.endpointId}`, { endpoint: bad })).status).toBe(200);
  await first.emulator.stop();
  const { connect, send, endOperations, endpointId } = (await open(data, { operationMs: 1_000 })).at(place);
  // The operation runs again.
  await (await connect()).query('SELECT');
  await endOperations();
  const { body } = await send('GET', `endpoints/${endpointId}`);
  expect(body.endpoint.settings).not.toMatchObject(bad.settings);
  await (await connect()).query('SELECT');
});
