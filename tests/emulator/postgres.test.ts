import { type EventEmitter, once } from 'node:events';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { range, times } from 'lodash';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { giveToServer } from '../../emulator/src/data-plane/server-files';
import { findPostgres } from '../support/plain-postgres';
import {
  hasPostgres,
  type Place,
  PostgresEmulator,
  type TestClient,
  usePostgres,
} from '../support/postgres-emulator';
import { makeTemporaryFolder, writePrograms } from '../support/temporary-folder';

const ONE_CU = { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 };
const CUT_OFF = 'terminating connection due to administrator command';

describe.skipIf(!hasPostgres)('an endpoint with a real Postgres', () => {
  const service = usePostgres({ autosuspendSecondMs: 2000 });
  const createProject = (attributes?: object) => service().createProject(attributes);
  const stateOf = ({ endpointId }: Place) =>
    service()
      .emulator.endpoints()
      .find(({ id }) => id === endpointId)?.current_state;
  const openWithTable = async ({ connect }: Place) => {
    const client = await connect();
    await client.query('CREATE TABLE visits (number int); INSERT INTO visits VALUES (1)');
    return client;
  };
  const count = (client: TestClient) => client.ask('SELECT count(*)::int FROM visits');

  it('runs the version that the project shows', async () => {
    const { connect, projectId } = await createProject();
    const version = Number(await (await connect()).ask('SHOW server_version_num'));
    const shown = service()
      .emulator.projects()
      .find(({ id }) => id === projectId);
    expect(shown?.pg_version).toBe(Math.floor(version / 10_000));
  });

  it('has max_connections of the smallest size, and shared_buffers 128MB', async () => {
    const client = await (await createProject()).connect();
    expect(await client.ask('SHOW max_connections')).toBe('112');
    expect(await client.ask('SHOW shared_buffers')).toBe('128MB');
  });

  it('drops its connections when the size changes, and keeps its data', async () => {
    const place = await createProject();
    const client = await openWithTable(place);
    await place.patch(ONE_CU);
    await expect.poll(() => client.cutOffBy).toBe(CUT_OFF);
    expect(service().emulator.connectionDrops(place.endpointId)).toBe(1);
    const next = await place.connect();
    expect([await next.ask('SHOW max_connections'), await count(next)]).toEqual(['450', 1]);
  });

  it('applies pg_settings to open connections', async () => {
    const { connect, patch } = await createProject();
    const client = await connect();
    await patch({ settings: { pg_settings: { work_mem: '7MB', application_name: "it's \\ here" } } });
    await expect.poll(() => client.ask('SHOW work_mem')).toBe('7MB');
    expect(await (await connect()).ask('SHOW application_name')).toBe("it's \\ here");
    expect(client.cutOffBy).toBeUndefined();
  });

  it('drops its connections when suspended; the next one wakes it', async () => {
    const place = await createProject();
    const client = await place.connect();
    await place.command('suspend');
    await expect.poll(() => client.cutOffBy).toBe(CUT_OFF);
    expect(stateOf(place)).toBe('idle');
    await place.connect();
    expect(stateOf(place)).toBe('active');
    const [last] = service().emulator.operations(place.projectId);
    expect(last?.action).toBe('start_compute');
  });

  it('lets in as many clients as max_connections allows; roles still change', async () => {
    const { connect, endpointId, onBranch } = await createProject();
    const withoutTls = { ssl: false, options: `endpoint=${endpointId}` };
    await Promise.all(times(105, () => connect({}, withoutTls)));
    // One at a time: of clients that connect together, each counts before it is refused, and can keep another out.
    const refusals: string[] = [];
    for (const _ of range(15)) await connect({}, withoutTls).catch(({ message }) => refusals.push(message));
    // Postgres reserves 3 connections for the superuser.
    expect(120 - refusals.length).toBe(109);
    for (const refusal of refusals) expect(refusal).toMatch(/connection slots are reserved|too many clients/);
    const { operations } = await onBranch('POST', 'roles', { role: { name: 'bob' } });
    expect(operations[0]).toMatchObject({ action: 'apply_config', status: 'finished' });
  });

  it('refuses clients while disabled, when deleted, and as superuser', async () => {
    const { connect, patch, change, endpointId } = await createProject();
    await expect(connect({ role: 'cloud_admin' })).rejects.toThrow(/cloud_admin/);
    await expect(connect({ password: 'wrong' })).rejects.toThrow(/password authentication failed/);
    await patch({ disabled: true });
    await expect(connect()).rejects.toThrow(`endpoint ${endpointId} is disabled`);
    await change('DELETE', `endpoints/${endpointId}`);
    await expect(connect()).rejects.toThrow(`endpoint ${endpointId} does not exist`);
  });

  it('tells a client why the compute did not start', async () => {
    const { connect, command, endpointId } = await createProject();
    await command('suspend');
    const match = { action: 'start_compute', endpointId };
    service().emulator.inject({ match, effect: { kind: 'operation-fails', error: 'no capacity' } });
    await expect(connect()).rejects.toThrow(/did not start: no capacity/);
  });

  it('tells everyone who waits for a start that it failed, without another', async () => {
    const folder = makeTemporaryFolder();
    giveToServer(folder);
    const [broken, starts, go] = [join(folder, 'broken'), join(folder, 'starts'), join(folder, 'go')];
    const fail = `echo >>${starts}; until [ -e ${go} ]; do sleep 0.1; done; exit 1`;
    const real = findPostgres() ?? '';
    writePrograms(folder, {
      postgres: `#!/bin/sh\nif [ -e ${broken} ]; then ${fail}; fi\nexec ${real}/postgres "$@"\n`,
    });
    symlinkSync(join(real, 'initdb'), join(folder, 'initdb'));
    const other = await PostgresEmulator.open({ postgres: folder });
    const { connect, addEndpoint } = await other.createProject();
    await connect();
    const { id } = await addEndpoint('read_only');
    writeFileSync(broken, '');
    const wait = async () => {
      const client = new Client(other.emulator.localConnectionUri(id));
      const refused = expect(client.connect()).rejects.toThrow('Postgres did not start');
      // Type definitions do not have it.
      await once((client as unknown as { connection: EventEmitter }).connection, 'authenticationSASLFinal');
      return { refused };
    };
    const first = await wait();
    await expect.poll(() => existsSync(starts)).toBe(true);
    const others = [await wait(), await wait()];
    writeFileSync(go, '');
    await Promise.all([first, ...others].map(({ refused }) => refused));
    expect(readFileSync(starts, 'utf8')).toBe('\n');
  });

  it('gives a branch the data of its running parent, and separates them', async () => {
    const parent = await createProject();
    const writer = await openWithTable(parent);
    const child = await service().createBranch(parent, 'read_write');
    await writer.query('INSERT INTO visits VALUES (2)');
    const client = await child.connect();
    expect(await count(client)).toBe(1);
    await client.query('INSERT INTO visits VALUES (3), (4)');
    expect([await count(writer), await count(client)]).toEqual([2, 3]);
  });

  it('gives a branch the data of its stopped parent', async () => {
    const parent = await createProject();
    await openWithTable(parent);
    await parent.command('suspend');
    const child = await service().createBranch(parent, 'read_write');
    const grandchild = await service().createBranch(child, 'read_write');
    expect(await count(await grandchild.connect())).toBe(1);
  });

  it('serves the data of the branch that it moves to', async () => {
    const parent = await createProject();
    const first = await openWithTable(parent);
    const child = await service().createBranch(parent);
    await first.query('DROP TABLE visits');
    await parent.patch({ branch_id: child.branchId });
    await expect.poll(() => first.cutOffBy).toBe(CUT_OFF);
    expect(await count(await parent.connect())).toBe(1);
  });

  it('a read_only endpoint follows the writes of its branch and accepts none', async () => {
    const parent = await createProject();
    const writer = await openWithTable(parent);
    const { host } = await parent.addEndpoint('read_only');
    const reader = await parent.connect({ host });
    expect(await count(reader)).toBe(1);
    await writer.query('INSERT INTO visits VALUES (2)');
    await expect.poll(() => count(reader)).toBe(2);
    await expect(reader.query('INSERT INTO visits VALUES (3)')).rejects.toThrow(/read-only transaction/);

    // It needs at least the max_connections of the branch's server.
    await parent.patch(ONE_CU);
    const largerWriter = await parent.connect();
    await expect.poll(() => reader.cutOffBy).toBe(CUT_OFF);
    const next = await parent.connect({ host });
    expect(await next.ask('SHOW max_connections')).toBe('450');
    await largerWriter.query('INSERT INTO visits VALUES (3)');
    await expect.poll(() => count(next)).toBe(3);
  });

  it('a read_only endpoint follows a branch that gets higher limits', async () => {
    const parent = await createProject();
    await openWithTable(parent);
    const pg_settings = { log_error_verbosity: 'verbose', log_line_prefix: '' };
    const { host } = await parent.addEndpoint('read_only', { settings: { pg_settings } });
    const reader = await parent.connect({ host });
    // What the emulator looks for in the server's log.
    const warning =
      'startup WARNING:  hot standby is not possible because of insufficient parameter settings';
    await reader.query(`DO $$ BEGIN RAISE WARNING E'\\n${warning}'; END $$; SELECT pg_sleep(0.5)`);
    await parent.patch({ settings: { pg_settings: { max_locks_per_transaction: '500' } } });
    await parent.command('restart');
    await (await parent.connect()).query('INSERT INTO visits VALUES (2)');
    // A client that comes before the standby has noticed is cut off.
    const countNow = async () => count(await parent.connect({ host }));
    await expect.poll(countNow).toBe(2);
  });

  it('a read_only endpoint serves a branch whose own compute is down', async () => {
    const parent = await createProject();
    await openWithTable(parent);
    const child = await service().createBranch(parent, 'read_only');
    const { role, password } = await child.createRole('bob');
    const reader = await parent.connect({ host: child.host, role, password });
    expect(await count(reader)).toBe(1);
  });

  const startShortLived = async (pg_settings: Record<string, string> = {}) => {
    const settings = { suspend_timeout_seconds: 1, pg_settings };
    const place = await createProject({ default_endpoint_settings: settings });
    const endpoint = () => service().emulator.endpoints(place.projectId)[0];
    return { ...place, endpoint, client: await place.connect() };
  };

  it('is suspended after the last message, which cuts off idle clients', async () => {
    // It counts messages, not what Postgres tracks.
    const { client, endpoint, endpointId } = await startShortLived({ track_activities: 'off' });
    const before = endpoint()?.last_active ?? '';
    // Longer than the delay in all, with pauses that are shorter.
    for (let round = 0; round < 25; round += 1) await client.ask('SELECT pg_sleep(0.1)');
    expect(endpoint()?.current_state).toBe('active');
    await expect.poll(() => client.cutOffBy).toBe(CUT_OFF);
    expect(endpoint()?.current_state).toBe('idle');
    expect(service().emulator.connectionDrops(endpointId)).toBe(1);
    expect(endpoint()?.last_active).not.toBe(before);
  });

  it('is not suspended during a query that takes longer than the delay', async () => {
    const { client } = await startShortLived();
    await expect(client.query('SELECT pg_sleep(2.5)')).resolves.toMatchObject({ rowCount: 1 });
  });
});
