import { beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresEmulator } from '../support/postgres-emulator';

interface Read {
  endpoint: { id: string; current_state: string; settings: { pg_settings: Record<string, string> } };
}

describe.skipIf(!hasPostgres)('pg_settings of an endpoint in Postgres', () => {
  let service: PostgresEmulator;
  beforeAll(async () => {
    service = await PostgresEmulator.start();
    return () => service.emulator.stop();
  });

  it.each([
    ['archive_command', 'touch /tmp/x', /pg_settings.archive_command is not allowed/],
    ['Shared_Preload_Libraries', 'evil', /Shared_Preload_Libraries is not allowed/],
    ['dynamic_library_path', '/etc', /is not allowed/],
    ['data_directory', '/etc', /is not allowed/],
    ['hba_file', '/etc/hba', /is not allowed/],
    ['ssl', 'on', /is not allowed/],
    ['listen_addresses', '*', /is not allowed/],
    ['primary_conninfo', 'host=x', /is not allowed/],
    ["work_mem = '1MB'\narchive_command", 'x', /is not a name of a setting/],
    ['include', '/etc/passwd', /is not allowed/],
    ['application_name', 'a\0b', /pg_settings.application_name must not contain NUL/],
    ['plperl.on_init', "system('touch /tmp/x')", /plperl.on_init is not allowed/],
    ['PLPERL.On_Init', "system('touch /tmp/x')", /PLPERL.On_Init is not allowed/],
    ['plpython3.x', '1', /is not allowed/],
    ['session_preload_libraries', '/var/tmp/x', /is not allowed/],
    ['local_preload_libraries', 'x', /is not allowed/],
    ['extension_destdir', '/var/tmp', /is not allowed/],
    ['external_pid_file', '/var/tmp/x', /is not allowed/],
    ['allow_system_table_mods', 'on', /is not allowed/],
    ['zero_damaged_pages', 'on', /is not allowed/],
    ['post_auth_delay', '1000', /is not allowed/],
    ['db_user_namespace', 'on', /is not allowed/],
    ['authentication_timeout', '1', /is not allowed/],
    ['role', 'cloud_admin', /is not allowed/],
    ['session_authorization', 'cloud_admin', /is not allowed/],
    ['max_prepared_transactions', '1', /is not allowed/],
    ['shared_memory_type', 'sysv', /is not allowed/],
    ['dynamic_shared_memory_type', 'sysv', /is not allowed/],
    ['no_such_setting', '1', /unrecognized configuration parameter/],
    ['work_mem', 'much', /invalid value for parameter "work_mem"/],
  ])('refuses the setting %s', async (name, value, message) => {
    const { projectId, endpointId, branchId } = await service.createProject();
    const pg_settings = { [name]: value };
    const requests = [
      service.patchEndpoint(projectId, endpointId, { settings: { pg_settings } }),
      service.call<{ message: string }>('POST', `/projects/${projectId}/endpoints`, {
        endpoint: { branch_id: branchId, type: 'read_only', settings: { pg_settings } },
      }),
      service.call<{ message: string }>('POST', '/projects', {
        project: { default_endpoint_settings: { pg_settings } },
      }),
    ];
    for (const { status, body } of await Promise.all(requests)) {
      expect([status, body.message]).toEqual([400, expect.stringMatching(message)]);
    }
  });

  it("accepts settings of sessions, of the server's work, of extensions", async () => {
    const { projectId, endpointId, login } = await service.createProject();
    const pg_settings = {
      statement_timeout: '5min',
      Log_Min_Duration_Statement: '1s',
      max_locks_per_transaction: '100',
      max_connections: '7',
      log_min_messages: 'panic',
      hot_standby_feedback: 'on',
      'auto_explain.log_analyze': 'on',
      'pg_stat_statements.track': 'all',
    };
    const { status } = await service.patchEndpoint(projectId, endpointId, { settings: { pg_settings } });
    expect(status).toBe(200);
    expect((await service.endOperations(projectId)).map((operation) => operation.status)).not.toContain(
      'failed',
    );
    const client = await service.connect(login);
    expect(await client.ask('SHOW max_locks_per_transaction')).toBe('100');
    // The emulator reads the progress of a recovery there.
    expect(await client.ask('SHOW log_min_messages')).toBe('warning');
    expect(await client.ask("SELECT current_setting('auto_explain.log_analyze')")).toBe('on');
  });

  it.each([
    ['more memory than there is', { max_locks_per_transaction: '2000000000' }, /shared memory/],
    ['more memory for a library than there is', { 'pg_stat_statements.max': '1000000000' }, /shared memory/],
  ])('keeps the former settings after %s', async (_what, bad, reason) => {
    const { projectId, endpointId, login } = await service.createProject();
    const client = await service.connect(login);
    const good = { work_mem: '7MB' };
    await service.patchEndpoint(projectId, endpointId, { settings: { pg_settings: good } });
    await service.endOperations(projectId);
    await service.patchEndpoint(projectId, endpointId, {
      settings: {
        pg_settings: { ...bad, work_mem: '8MB' },
        preload_libraries: { enabled_libraries: ['pg_stat_statements'] },
      },
    });
    const operations = await service.endOperations(projectId);
    // The restart for the library is cancelled.
    expect(operations.find(({ action }) => action === 'apply_config')).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(reason),
    });
    const path = `/projects/${projectId}/endpoints/${endpointId}`;
    const { body } = await service.call<Read>('GET', path);
    expect(body.endpoint.settings).toMatchObject({ pg_settings: good });
    expect(body.endpoint.settings).not.toHaveProperty('preload_libraries');
    expect(await client.ask('SHOW work_mem')).toBe('7MB');
    await service.call('POST', `${path}/restart`);
    await service.endOperations(projectId);
    expect(await (await service.connect(login)).ask('SHOW work_mem')).toBe('7MB');
  });

  it('restarts the compute to preload libraries, and refuses unknown ones', async () => {
    const { projectId, endpointId, login } = await service.createProject();
    const preload = (...enabled_libraries: string[]) =>
      service.patchEndpoint(projectId, endpointId, {
        settings: { preload_libraries: { enabled_libraries } },
      });
    expect((await preload('pg_stat_statements', 'auto_explain')).status).toBe(200);
    await service.endOperations(projectId);
    const client = await service.connect(login);
    expect(await client.ask('SHOW auto_explain.log_min_duration')).toBe('-1');
    const refused = await Promise.all([preload('dblink'), preload('/opt/x'), preload('pg_hint_plan')]);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  it('a new endpoint does not start with settings that prevent it', async () => {
    const { projectId, branchId, login } = await service.createProject();
    const settings = { pg_settings: { max_locks_per_transaction: '2000000000' } };
    const { body } = await service.call<Read & { endpoint: { host: string } }>(
      'POST',
      `/projects/${projectId}/endpoints`,
      {
        endpoint: { branch_id: branchId, type: 'read_only', settings },
      },
    );
    const [last] = await service.endOperations(projectId);
    expect(last).toMatchObject({ action: 'start_compute', status: 'failed' });
    const replica = { ...login, host: body.endpoint.host };
    await expect(service.connect(replica)).rejects.toThrow(/did not start: .*shared memory/);
    await service.patchEndpoint(projectId, body.endpoint.id, { settings: { pg_settings: {} } });
    await service.endOperations(projectId);
    await service.connect(replica);
  });
});
