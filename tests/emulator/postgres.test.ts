import { range, times } from 'lodash';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, hasPsql, PostgresEmulator, psql, type TestClient } from '../support/postgres-emulator';

const ONE_CU = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 };
const CUT_OFF = 'terminating connection due to administrator command';

describe.skipIf(!hasPostgres)('an endpoint with a real Postgres', () => {
  let service: PostgresEmulator;
  beforeAll(async () => {
    service = await PostgresEmulator.start({ autosuspendSecondMs: 2000 });
    return () => service.emulator.stop();
  });

  const actionsOf = (projectId: string) => service.emulator.operations(projectId).map(({ action }) => action);
  const stateOf = (endpointId: string) =>
    service.emulator.endpoints().find(({ id }) => id === endpointId)?.current_state;
  const openWithTable = async (place: Awaited<ReturnType<typeof service.createProject>>) => {
    const client = await service.connect(place.login);
    await client.query('CREATE TABLE visits (number int); INSERT INTO visits VALUES (1)');
    return client;
  };
  const count = (client: TestClient) => client.ask('SELECT count(*)::int FROM visits');

  it.skipIf(!hasPsql)('takes psql with the connection URI that the API returns', async () => {
    const { uri } = await service.createProject();
    const query = "SELECT current_user, current_database(), current_setting('max_connections')";
    expect(await psql(uri, query)).toBe('app_owner|app|112');
  });

  it('runs the version that the project shows', async () => {
    const { login, projectId } = await service.createProject();
    const client = await service.connect(login);
    const version = Number(await client.ask('SHOW server_version_num'));
    const shown = service.emulator.projects().find(({ id }) => id === projectId);
    expect(shown?.pg_version).toBe(Math.floor(version / 10_000));
  });

  it('has max_connections of the smallest size, and shared_buffers 128MB', async () => {
    const { login } = await service.createProject();
    const client = await service.connect(login);
    expect(await client.ask('SHOW max_connections')).toBe('112');
    expect(await client.ask('SHOW shared_buffers')).toBe('128MB');
  });

  it('drops its connections when the size changes, and keeps its data', async () => {
    const place = await service.createProject();
    const client = await openWithTable(place);
    await service.patchEndpoint(place.projectId, place.endpointId, ONE_CU);
    await expect.poll(() => client.cutOffBy).toBe(CUT_OFF);
    expect(service.emulator.connectionDrops(place.endpointId)).toBe(1);
    const next = await service.connect(place.login);
    expect([await next.ask('SHOW max_connections'), await count(next)]).toEqual(['450', 1]);
  });

  it('applies pg_settings to open connections', async () => {
    const { projectId, endpointId, login } = await service.createProject();
    const client = await service.connect(login);
    const pg_settings = { work_mem: '7MB', application_name: "it's \\ here" };
    await service.patchEndpoint(projectId, endpointId, { settings: { pg_settings } });
    await expect.poll(() => client.ask('SHOW work_mem')).toBe('7MB');
    const next = await service.connect(login);
    expect(await next.ask('SHOW application_name')).toBe("it's \\ here");
    expect(client.cutOffBy).toBeUndefined();
  });

  it('drops its connections when suspended; the next one wakes it', async () => {
    const { projectId, endpointId, login } = await service.createProject();
    const client = await service.connect(login);
    await service.call('POST', `/projects/${projectId}/endpoints/${endpointId}/suspend`);
    await expect.poll(() => client.cutOffBy).toBe(CUT_OFF);
    expect(stateOf(endpointId)).toBe('idle');
    await service.connect(login);
    expect(stateOf(endpointId)).toBe('active');
    expect(actionsOf(projectId)[0]).toBe('start_compute');
  });

  it('lets in as many clients as max_connections allows', async () => {
    const { login, endpointId } = await service.createProject();
    const withoutTls = { ssl: false, options: `endpoint=${endpointId}` };
    const connect = () => service.connect(login, withoutTls);
    await Promise.all(times(105, connect));
    // One at a time: of clients that connect together, each counts before it is refused, and can keep another out.
    const refusals: string[] = [];
    for (const _ of range(15)) await connect().catch((error: Error) => refusals.push(error.message));
    // Postgres reserves 3 connections for the superuser.
    expect(120 - refusals.length).toBe(109);
    for (const refusal of refusals) expect(refusal).toMatch(/connection slots are reserved|too many clients/);
  });

  it('refuses clients while disabled, when deleted, and as superuser', async () => {
    const { projectId, endpointId, login } = await service.createProject();
    await expect(service.connect({ ...login, role: 'cloud_admin' })).rejects.toThrow(/cloud_admin/);
    await expect(service.connect({ ...login, password: 'wrong' })).rejects.toThrow(
      /password authentication failed/,
    );
    await service.patchEndpoint(projectId, endpointId, { disabled: true });
    await expect(service.connect(login)).rejects.toThrow(`endpoint ${endpointId} is disabled`);
    await service.call('DELETE', `/projects/${projectId}/endpoints/${endpointId}`);
    await expect(service.connect(login)).rejects.toThrow(`endpoint ${endpointId} does not exist`);
  });

  it('tells a client why the compute did not start', async () => {
    const { projectId, endpointId, login } = await service.createProject();
    await service.call('POST', `/projects/${projectId}/endpoints/${endpointId}/suspend`);
    const match = { action: 'start_compute', endpointId };
    service.emulator.inject({ match, effect: { kind: 'operation-fails', error: 'no capacity' } });
    await expect(service.connect(login)).rejects.toThrow(/did not start: no capacity/);
  });

  it('gives a branch the data of its running parent, and separates them', async () => {
    const parent = await service.createProject();
    const writer = await openWithTable(parent);
    const child = await service.createBranch(parent.projectId, parent.branchId, 'read_write');
    await writer.query('INSERT INTO visits VALUES (2)');
    const client = await service.connect(child.login);
    expect(await count(client)).toBe(1);
    await client.query('INSERT INTO visits VALUES (3), (4)');
    expect([await count(writer), await count(client)]).toEqual([2, 3]);
  });

  it('gives a branch the data of its stopped parent', async () => {
    const parent = await service.createProject();
    await openWithTable(parent);
    await service.call('POST', `/projects/${parent.projectId}/endpoints/${parent.endpointId}/suspend`);
    const child = await service.createBranch(parent.projectId, parent.branchId, 'read_write');
    const grandchild = await service.createBranch(parent.projectId, child.branchId, 'read_write');
    expect(await count(await service.connect(grandchild.login))).toBe(1);
  });

  it('serves the data of the branch that it moves to', async () => {
    const parent = await service.createProject();
    const first = await openWithTable(parent);
    const child = await service.createBranch(parent.projectId, parent.branchId);
    await first.query('DROP TABLE visits');
    await service.patchEndpoint(parent.projectId, parent.endpointId, { branch_id: child.branchId });
    await expect.poll(() => first.cutOffBy).toBe(CUT_OFF);
    expect(await count(await service.connect(parent.login))).toBe(1);
  });

  it('a read_only endpoint follows the writes of its branch and accepts none', async () => {
    const parent = await service.createProject();
    const writer = await openWithTable(parent);
    const endpoint = { branch_id: parent.branchId, type: 'read_only' };
    const path = `/projects/${parent.projectId}/endpoints`;
    const { body } = await service.call<{ endpoint: { host: string } }>('POST', path, { endpoint });
    const login = { ...parent.login, host: body.endpoint.host };
    const reader = await service.connect(login);
    expect(await count(reader)).toBe(1);
    await writer.query('INSERT INTO visits VALUES (2)');
    await expect.poll(() => count(reader)).toBe(2);
    await expect(reader.query('INSERT INTO visits VALUES (3)')).rejects.toThrow(/read-only transaction/);

    // It needs at least the max_connections of the branch's server.
    await service.patchEndpoint(parent.projectId, parent.endpointId, ONE_CU);
    const largerWriter = await service.connect(parent.login);
    await expect.poll(() => reader.cutOffBy).toBe(CUT_OFF);
    const next = await service.connect(login);
    expect(await next.ask('SHOW max_connections')).toBe('450');
    await largerWriter.query('INSERT INTO visits VALUES (3)');
    await expect.poll(() => count(next)).toBe(3);
  });

  it('a read_only endpoint follows a branch that gets higher limits', async () => {
    const parent = await service.createProject();
    const { projectId, branchId, endpointId, login } = parent;
    await openWithTable(parent);
    const { body } = await service.call<{ endpoint: { host: string } }>(
      'POST',
      `/projects/${projectId}/endpoints`,
      { endpoint: { branch_id: branchId, type: 'read_only' } },
    );
    const replica = { ...login, host: body.endpoint.host };
    await service.connect(replica);
    const pg_settings = { max_locks_per_transaction: '500' };
    await service.patchEndpoint(projectId, endpointId, { settings: { pg_settings } });
    await service.call('POST', `/projects/${projectId}/endpoints/${endpointId}/restart`);
    await service.endOperations(projectId);
    await (await service.connect(login)).query('INSERT INTO visits VALUES (2)');
    const reader = await service.connect(replica);
    await expect.poll(() => count(reader)).toBe(2);
  });

  it('a read_only endpoint serves a branch whose own compute is down', async () => {
    const parent = await service.createProject();
    await openWithTable(parent);
    const child = await service.createBranch(parent.projectId, parent.branchId, 'read_only');
    const path = `/projects/${parent.projectId}/branches/${child.branchId}/roles`;
    const { body } = await service.call<{ role: { password: string } }>('POST', path, {
      role: { name: 'bob' },
    });
    const login = { ...parent.login, host: child.hosts[0] ?? '', role: 'bob', password: body.role.password };
    expect(await count(await service.connect(login))).toBe(1);
  });

  const startShortLived = async (pg_settings: Record<string, string> = {}) => {
    const settings = { suspend_timeout_seconds: 1, pg_settings };
    const place = await service.createProject({ default_endpoint_settings: settings });
    const endpoint = () => service.emulator.endpoints(place.projectId)[0];
    return { ...place, endpoint, client: await service.connect(place.login) };
  };

  it('is suspended after the last message, which cuts off idle clients', async () => {
    const { client, endpoint, endpointId } = await startShortLived();
    const before = endpoint()?.last_active ?? '';
    // Longer than the delay in all, with pauses that are shorter.
    for (let round = 0; round < 25; round += 1) await client.ask('SELECT pg_sleep(0.1)');
    expect(endpoint()?.current_state).toBe('active');
    await expect.poll(() => client.cutOffBy).toBe(CUT_OFF);
    expect(endpoint()?.current_state).toBe('idle');
    expect(service.emulator.connectionDrops(endpointId)).toBe(1);
    expect(endpoint()?.last_active).not.toBe(before);
  });

  it('is suspended although Postgres does not track what clients do', async () => {
    const { client } = await startShortLived({ track_activities: 'off' });
    await expect.poll(() => client.cutOffBy).toBe(CUT_OFF);
  });

  it('is not suspended during a query that takes longer than the delay', async () => {
    const { client } = await startShortLived();
    await expect(client.query('SELECT pg_sleep(2.5)')).resolves.toMatchObject({ rowCount: 1 });
  });
});
