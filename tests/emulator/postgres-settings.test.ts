import { describe, expect, it } from 'vitest';
import { hasPostgres, type Place, usePostgres } from '../support/postgres-emulator';

/** With these, a client would get out of its database, or keep the server from starting. */
const NOT_ALLOWED = `archive_command Shared_Preload_Libraries dynamic_library_path data_directory hba_file ssl listen_addresses
  primary_conninfo include plperl.on_init PLPERL.On_Init plpython3.x session_preload_libraries local_preload_libraries
  extension_destdir external_pid_file allow_system_table_mods zero_damaged_pages post_auth_delay db_user_namespace
  authentication_timeout role session_authorization session_replication_role max_prepared_transactions
  shared_memory_type dynamic_shared_memory_type idle_replication_slot_timeout`;

describe.skipIf(!hasPostgres)('pg_settings of an endpoint in Postgres', () => {
  const service = usePostgres();

  it.each([
    ...NOT_ALLOWED.split(/\s+/).map((name) => [name, 'x', `pg_settings.${name} is not allowed`] as const),
    ["work_mem = '1MB'\narchive_command", 'x', 'is not a name of a setting'],
    ['application_name', 'a\0b', 'pg_settings.application_name must not contain NUL'],
    ['no_such_setting', '1', 'unrecognized configuration parameter'],
    ['work_mem', 'much', 'invalid value for parameter "work_mem"'],
  ] as const)('refuses the setting %s', async (name, value, message) => {
    const { send, endpointId, branchId } = await shared();
    const settings = { pg_settings: { [name]: value } };
    const requests = [
      send('PATCH', `endpoints/${endpointId}`, { endpoint: { settings } }),
      send('POST', 'endpoints', { endpoint: { branch_id: branchId, type: 'read_only', settings } }),
      service().call('POST', '/projects', { project: { default_endpoint_settings: settings } }),
    ];
    for (const { status, body } of await Promise.all(requests))
      expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  let place: Promise<Place> | undefined;
  const shared = () => {
    place ??= service().createProject();
    return place;
  };

  it("accepts settings of sessions, of the server's work, of extensions", async () => {
    const { patch, connect } = await service().createProject();
    const pg_settings = {
      statement_timeout: '5min',
      Log_Min_Duration_Statement: '1s',
      Max_Locks_Per_Transaction: '100',
      max_connections: '7',
      log_min_messages: 'panic',
      hot_standby_feedback: 'on',
      'auto_explain.log_analyze': 'on',
      'pg_stat_statements.track': 'all',
    };
    const { status, operations } = await patch({ settings: { pg_settings } });
    expect(status).toBe(200);
    expect(operations.map((operation) => operation.status)).not.toContain('failed');
    const client = await connect();
    expect(await client.ask('SHOW max_locks_per_transaction')).toBe('100');
    // The emulator reads there why a server does not start.
    expect(await client.ask('SHOW log_min_messages')).toBe('warning');
    expect(await client.ask("SELECT current_setting('auto_explain.log_analyze')")).toBe('on');
  });

  it.each([
    ['more memory than there is', { max_locks_per_transaction: '2000000000' }, /shared memory/],
    ['more memory for a library than there is', { 'pg_stat_statements.max': '1000000000' }, /shared memory/],
  ])('keeps the former settings after %s', async (_what, bad, reason) => {
    const { send, patch, connect, command, endpointId } = await service().createProject();
    const client = await connect();
    const good = { work_mem: '7MB' };
    await patch({ settings: { pg_settings: good } });
    const { operations } = await patch({
      settings: {
        pg_settings: { ...bad, work_mem: '8MB' },
        preload_libraries: { enabled_libraries: ['pg_stat_statements'] },
      },
    });
    // The restart for the library is cancelled.
    expect(operations.find(({ action }) => action === 'apply_config')).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(reason),
    });
    const { body } = await send('GET', `endpoints/${endpointId}`);
    expect(body.endpoint.settings).toMatchObject({ pg_settings: good });
    expect(body.endpoint.settings).not.toHaveProperty('preload_libraries');
    expect(await client.ask('SHOW work_mem')).toBe('7MB');
    await command('restart');
    expect(await (await connect()).ask('SHOW work_mem')).toBe('7MB');
  });

  it('restarts the compute to preload libraries, and refuses unknown ones', async () => {
    const { patch, connect } = await service().createProject();
    const preload = (...enabled_libraries: string[]) =>
      patch({ settings: { preload_libraries: { enabled_libraries } } });
    expect((await preload('pg_stat_statements', 'auto_explain')).status).toBe(200);
    expect(await (await connect()).ask('SHOW auto_explain.log_min_duration')).toBe('-1');
    const refused = await Promise.all([preload('dblink'), preload('/opt/x'), preload('pg_hint_plan')]);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  it('a new endpoint does not start with settings that prevent it', async () => {
    const { change, addEndpoint, connect, endOperations } = await service().createProject();
    const settings = { pg_settings: { max_locks_per_transaction: '2000000000' } };
    const { id, host } = await addEndpoint('read_only', { settings });
    const [last] = await endOperations();
    expect(last).toMatchObject({ action: 'start_compute', status: 'failed' });
    await expect(connect({ host })).rejects.toThrow(/did not start: .*shared memory/);
    await change('PATCH', `endpoints/${id}`, { endpoint: { settings: { pg_settings: {} } } });
    await connect({ host });
  });
});
