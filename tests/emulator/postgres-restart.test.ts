import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EmulatorOptions } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newDataFile } from '../support/data-emulator';
import { hasPostgres, PostgresEmulator } from '../support/postgres-emulator';
import { isRunning } from '../support/running-process';

interface Added {
  endpoint: { id: string; host: string; branch_id: string };
}

/** Starts an emulator with a data file that the servers' user can enter when the tests run as root. */
async function open(data: string, options: EmulatorOptions = {}) {
  chmodSync(dirname(data), 0o711);
  const service = await PostgresEmulator.start({ data, ...options });
  onTestFinished(() => service.emulator.stop());
  return service;
}

describe.runIf(hasPostgres && process.platform === 'linux')('a server that was killed', () => {
  /** Kills the server of a query that does not end. */
  const killServer = async () => {
    const service = await PostgresEmulator.start();
    onTestFinished(() => service.emulator.stop());
    const { login } = await service.createProject();
    const client = await service.connect(login);
    const backend = Number(await client.ask('SELECT pg_backend_pid()'));
    const status = readFileSync(`/proc/${backend}/status`, 'utf8');
    client.query('DO $$ BEGIN LOOP END LOOP; END $$').catch(() => undefined);
    process.kill(Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), 'SIGKILL');
    return { service, login, backend };
  };

  it('starts again although a query of it still runs', async () => {
    const { service, login } = await killServer();
    // At first, the emulator may not have noticed.
    const ask = async () => (await service.connect(login)).ask('SELECT 1');
    await expect.poll(() => ask().catch(() => undefined)).toBe(1);
  });

  it('starts again where another server has got its process id', async () => {
    const data = newDataFile();
    const service = await open(data);
    const [killed, other] = [await service.createProject(), await service.createProject()];
    const fileOf = (branchId: string) => join(`${data}.postgres`, branchId, 'postmaster.pid');
    for (const { login } of [killed, other]) await (await service.connect(login)).query('SELECT');
    const [id = '', ...rest] = readFileSync(fileOf(killed.branchId), 'utf8').split('\n');
    process.kill(Number(id), 'SIGKILL');
    const [otherId] = readFileSync(fileOf(other.branchId), 'utf8').split('\n');
    writeFileSync(fileOf(killed.branchId), [otherId, ...rest].join('\n'));
    const ask = async () => (await service.connect(killed.login)).ask('SELECT 1');
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
  const { projectId, branchId, endpointId, login } = await service.createProject();
  await expect(service.connect(login)).rejects.toThrow('database "app" does not exist');
  for (const id of ['template', branchId]) chmodSync(bases(id), 0o700);
  await service.call('POST', `/projects/${projectId}/endpoints/${endpointId}/restart`);
  await service.endOperations(projectId);
  await (await service.connect(login)).query('SELECT');
});

it.skipIf(!hasPostgres)('settings are not blamed for a server that cannot be tried', async () => {
  const data = newDataFile();
  const service = await open(data);
  const { projectId, endpointId } = await service.createProject();
  // As on a full disk, the trial gets no data.
  chmodSync(join(`${data}.postgres`, 'template', 'base'), 0);
  const settings = { pg_settings: { max_worker_processes: '9' } };
  await service.patchEndpoint(projectId, endpointId, { settings });
  const [failed] = await service.endOperations(projectId);
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringMatching(/^nice failed: cp: /) });
});

describe.skipIf(!hasPostgres)('a copy that was complete before its operation had ended', () => {
  it.each([
    ['of a restore', 'create_branch'],
    ['of a schema', 'apply_schema_from_branch'],
    ['of a schema without data', 'apply_schema_from_branch'],
  ])('%s is not made again: clients may have written since', async (what, action) => {
    const data = newDataFile();
    const isRestore = action === 'create_branch';
    const table = 'CREATE TABLE IF NOT EXISTS visits (number int)';
    const first = await open(data);
    const { projectId, branchId, login } = await first.createProject();
    if (!what.endsWith('without data')) await (await first.connect(login)).query(table);
    const path = `/projects/${projectId}`;
    const create = async (service: PostgresEmulator, origin: object) => {
      const branch = { parent_id: branchId, ...origin };
      const { body } = await service.call<{ branch: { id: string } }>('POST', `${path}/branches`, { branch });
      const endpoint = { branch_id: body.branch.id, type: 'read_write' };
      const added = await service.call<Added>('POST', `${path}/endpoints`, { endpoint });
      return added.body.endpoint;
    };
    const restored = isRestore ? await create(first, {}) : undefined;
    await first.endOperations(projectId);
    if (restored) await first.call('POST', `${path}/endpoints/${restored.id}/suspend`);
    await first.endOperations(projectId);
    await first.emulator.stop();
    const slow = await open(data, { operationMs: { [action]: 600_000, default: 100 } });
    const restore = { source_branch_id: branchId };
    if (restored) await slow.call('POST', `${path}/branches/${restored.branch_id}/restore`, restore);
    const endpoint = restored ?? (await create(slow, { init_source: 'schema-only' }));
    const client = await slow.connect({ ...login, host: endpoint.host });
    await client.query(`${table}; INSERT INTO visits VALUES (7)`);
    const isUnderWay = ({ status }: { status: string }) => status === 'running';
    expect(slow.emulator.operations(projectId).filter(isUnderWay)).toMatchObject([{ action }]);
    await slow.emulator.stop();
    const second = await open(data);
    await second.endOperations(projectId);
    const reader = await second.connect({ ...login, host: endpoint.host });
    expect(await reader.ask('SELECT number FROM visits')).toBe(7);
  });
});

it.skipIf(!hasPostgres)('a restore that was killed while it put its copy in place goes on', async () => {
  const data = newDataFile();
  const folderOf = (id: string) => join(`${data}.postgres`, id);
  const first = await open(data, { operationMs: 100 });
  const { projectId, branchId, login } = await first.createProject();
  await (await first.connect(login)).query('CREATE TABLE notes ()');
  const { branchId: id, hosts } = await first.createBranch(projectId, branchId, 'read_write');
  await first.endOperations(projectId);
  await first.emulator.stop();
  const second = await open(data, { operationMs: { create_branch: 600_000, default: 100 } });
  const restore = { source_branch_id: branchId };
  await second.call('POST', `/projects/${projectId}/branches/${id}/restore`, restore);
  const state = () => readFileSync(join(folderOf(id), 'emulator.json'), 'utf8');
  await expect.poll(state, { timeout: 30_000 }).toContain('copiedAt');
  await second.emulator.stop();
  renameSync(folderOf(id), `${folderOf(id)}.copying`);
  renameSync(folderOf(branchId), `${folderOf(branchId)}.away`);
  const third = await open(data, { operationMs: 100 });
  await third.endOperations(projectId);
  await (await third.connect({ ...login, host: hosts[0] ?? '' })).query('SELECT FROM notes');
});

describe.skipIf(!hasPostgres)('settings with which no server starts', () => {
  it('are taken back although the emulator ends meanwhile', async () => {
    const data = newDataFile();
    const first = await open(data, { operationMs: { apply_config: 600_000, default: 100 } });
    const { projectId, endpointId, login } = await first.createProject();
    await (await first.connect(login)).query('SELECT');
    const bad = { settings: { pg_settings: { max_locks_per_transaction: '2000000000' } } };
    expect((await first.patchEndpoint(projectId, endpointId, bad)).status).toBe(200);
    await first.emulator.stop();
    const second = await open(data, { operationMs: 1_000 });
    // The operation runs again.
    await (await second.connect(login)).query('SELECT');
    await second.endOperations(projectId);
    const { body } = await second.call<{ endpoint: { settings: object } }>(
      'GET',
      `/projects/${projectId}/endpoints/${endpointId}`,
    );
    expect(body.endpoint.settings).not.toMatchObject(bad.settings);
    await (await second.connect(login)).query('SELECT');
  });
});
