import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { hasPostgres, PostgresEmulator } from '../support/postgres-emulator';

const createScrap = 'CREATE TABLE scrap (text text); ALTER TABLE scrap ALTER text SET STORAGE EXTERNAL';
const write20Megabytes =
  "INSERT INTO scrap SELECT repeat('x', 1000000) FROM generate_series(1, 20); TRUNCATE scrap";

describe.skipIf(!hasPostgres)('a copy of data that changes', () => {
  let service: PostgresEmulator;
  beforeAll(async () => {
    service = await PostgresEmulator.start();
    return () => service.emulator.stop();
  });

  it('has the log of everything that was written meanwhile', async () => {
    const { projectId, branchId, endpointId, login } = await service.createProject();
    const pg_settings = { max_wal_size: '2MB', min_wal_size: '2MB' };
    await service.patchEndpoint(projectId, endpointId, { settings: { pg_settings } });
    await service.endOperations(projectId);
    const client = await service.connect(login);
    await client.query("CREATE TABLE notes AS SELECT repeat('x', 500) FROM generate_series(1, 700000)");
    await client.query(createScrap);
    const child = service.createBranch(projectId, branchId, 'read_write');
    let isCopied = false;
    const end = () => {
      isCopied = true;
    };
    child.then(end, end);
    while (!isCopied) await client.query(write20Megabytes);
    const copy = await service.connect((await child).login);
    expect(await copy.ask('SELECT count(*)::int FROM notes')).toBe(700_000);
  });

  it('follows again after 200 MB that it has not received', async () => {
    const { projectId, branchId, endpointId, login } = await service.createProject();
    const pg_settings = { max_wal_size: '2MB', min_wal_size: '2MB' };
    await service.patchEndpoint(projectId, endpointId, { settings: { pg_settings } });
    const { body } = await service.call<{ endpoint: { host: string } }>(
      'POST',
      `/projects/${projectId}/endpoints`,
      { endpoint: { branch_id: branchId, type: 'read_only' } },
    );
    await service.endOperations(projectId);
    const client = await service.connect(login);
    await client.query(`CREATE TABLE notes (id int); ${createScrap}`);
    const replica = await service.connect({ ...login, host: body.endpoint.host });
    const pid = () => replica.ask('SELECT pid FROM pg_stat_wal_receiver');
    // It starts after the replica accepts connections.
    await expect.poll(pid).toBeDefined();
    const receiver = Number(await pid());
    const resume = () => process.kill(receiver, 'SIGCONT');
    process.kill(receiver, 'SIGSTOP');
    onTestFinished(() => void resume());
    for (let part = 0; part < 10; part += 1) await client.query(write20Megabytes);
    await client.query('INSERT INTO notes VALUES (1)');
    resume();
    await expect.poll(() => replica.ask('SELECT count(*)::int FROM notes')).toBe(1);
  });

  it('is replaced by a restore that begins before it is complete', async () => {
    const { projectId, branchId, login } = await service.createProject();
    const client = await service.connect(login);
    await client.query('CREATE TABLE notes AS SELECT 1::text');
    const small = await service.createBranch(projectId, branchId);
    await client.query("INSERT INTO notes SELECT repeat('x', 500) FROM generate_series(1, 700000)");
    const path = `/projects/${projectId}`;
    const branch = { parent_id: branchId };
    const copy = await service.call<{ branch: { id: string } }>('POST', `${path}/branches`, { branch });
    const { id } = copy.body.branch;
    await service.call('POST', `${path}/branches/${id}/restore`, { source_branch_id: small.branchId });
    const endpoint = { branch_id: id, type: 'read_write' };
    const { body } = await service.call<{ endpoint: { host: string } }>('POST', `${path}/endpoints`, {
      endpoint,
    });
    await service.endOperations(projectId);
    const restored = await service.connect({ ...login, host: body.endpoint.host });
    expect(await restored.ask('SELECT count(*)::int FROM notes')).toBe(1);
  });
});
