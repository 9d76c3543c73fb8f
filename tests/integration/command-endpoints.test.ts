import { describe, expect, it } from 'vitest';
import { runWith, startCommand } from '../support/start-command';
import { until } from '../support/virtual-world';

describe('endpoints list', () => {
  it('shows id, name, branch, type, size and state', async () => {
    const { run, primary, branch, provider, declare } = await startCommand();
    await provider.create(declare({ name: 'api' }));
    const [, first = '', second = ''] = (await run('endpoints', 'list')).stdout.split('\n');
    expect(first.split(/ {2,}/)).toEqual([primary.id, primary.branch_id, 'read_write', '0.25 CU', 'Active']);
    expect(second.split(/ {2,}/).slice(1)).toEqual([
      'api',
      branch.id,
      'read_write',
      '0.25 to 1 CU',
      'Active',
    ]);
  });

  it('filters by --branch, an id or a name', async () => {
    const { run, primary, branch } = await startCommand();
    const own = await run('endpoints', 'list', '--branch', primary.branch_id, '--json');
    expect(JSON.parse(own.stdout)).toMatchObject({ endpoints: [{ id: primary.id, currentState: 'active' }] });
    const none = await run('endpoints', 'list', '--branch', branch.name);
    expect(none).toEqual({ exitCode: 0, stdout: '', stderr: 'No endpoints found.\n' });
    expect((await run('endpoints', 'list', '--branch', 'none')).exitCode).toBe(4);
  });

  it('colours active, idle and changing states differently', async () => {
    const { run, environment, emulator, primary } = await startCommand();
    const painted = async () => (await runWith(['endpoints', 'list'], environment, { isTTY: true })).stdout;
    expect(await painted()).toContain('\u001b[32mActive');
    await run('endpoints', 'suspend', primary.id);
    expect(await painted()).toContain('\u001b[2mIdle');
    emulator.inject({ match: {}, effect: { kind: 'operation-hangs' } });
    await run('endpoints', 'start', primary.id, '--no-wait');
    expect(await painted()).toContain('\u001b[33mIdle, soon Active');
  });
});

it('endpoints get shows one endpoint, with the pooler and its settings', async () => {
  const { run, emulator, primary } = await startCommand();
  const { stdout: plain } = await run('endpoints', 'get', primary.id);
  expect(plain).toMatch(new RegExp(`^id +${primary.id}\nstate +Active\n`));
  expect(plain).toContain(`host         ${primary.host}\n`);
  expect(plain).toMatch(/^pooler +off$/m);
  const settings = { pg_settings: { work_mem: '8MB', jit: 'off' } };
  emulator.changeEndpoint(primary.id, { pooler_enabled: true, settings });
  const { stdout } = await run('endpoints', 'get', primary.id);
  expect(stdout).toMatch(/^pooler +transaction$/m);
  expect(stdout).toMatch(/^settings +work_mem=8MB, jit=off$/m);
  const { id, host } = primary;
  expect(JSON.parse((await run('endpoints', 'get', id, '--json')).stdout)).toMatchObject({ id, host });
});

describe('endpoints suspend, start and restart', () => {
  it('wait until the compute is suspended, active and restarted', async () => {
    const { run, emulator, primary } = await startCommand();
    const state = () => emulator.endpoints()[0]?.current_state;
    expect(await run('endpoints', 'suspend', primary.id)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/Endpoint ep-\S+ is Idle\.\n$/),
    });
    expect(state()).toBe('idle');
    expect(await run('endpoints', 'start', primary.id)).toMatchObject({ exitCode: 0 });
    expect(state()).toBe('active');
    expect(await run('endpoints', 'restart', primary.id)).toMatchObject({ exitCode: 0 });
    expect(emulator.restarts(primary.id)).toBe(1);
    expect(state()).toBe('active');
  });

  it('take the name of an endpoint, and list the names for an unknown one', async () => {
    const { run, emulator, provider, declare, primary } = await startCommand();
    const { id } = await provider.create(declare({ name: 'api' }));
    expect((await run('endpoints', 'get', 'api')).stdout).toContain(id);
    await run('endpoints', 'suspend', 'api');
    expect(emulator.endpoints().find((endpoint) => endpoint.id === id)?.current_state).toBe('idle');
    const unknown = await run('endpoints', 'delete', 'ap');
    expect(unknown).toMatchObject({ exitCode: 4, stdout: '' });
    expect(unknown.stderr).toContain(`has no endpoint named "ap". It has: api (${id}), ${primary.id}.\n`);
  });

  it('report that the service had nothing to do', async () => {
    const { run, primary } = await startCommand();
    expect(await run('endpoints', 'start', primary.id)).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: `Endpoint ${primary.id} is Active; the service had nothing to do.\n`,
    });
  });

  it('return the running operations with --no-wait, each once', async () => {
    const { run, emulator, primary } = await startCommand({ operationMs: 60_000 });
    emulator.inject({ match: { method: 'POST' }, effect: { kind: 'repeated-operations' } });
    const { stdout } = await run('endpoints', 'suspend', primary.id, '--no-wait', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      endpoint: { id: primary.id, pendingState: 'idle' },
      operations: [{ action: 'suspend_compute', status: 'running' }],
    });
    expect(emulator.endpoints()[0]).toMatchObject({ current_state: 'active' });
  });

  it('wait while the project is locked, and report the locking operation', async () => {
    const { run, emulator, project, primary } = await startCommand();
    const release = emulator.lockProject(project.id);
    const suspension = run('endpoints', 'suspend', primary.id);
    await until(() => emulator.requests().some(({ status }) => status === 423));
    await until(() => /operations/.test(emulator.requests().at(-1)?.path ?? ''));
    release();
    const { exitCode, stderr } = await suspension;
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^waiting for the project: create_branch \S+ running\n/);
  });

  it('exit with 3 when the project stays locked', async () => {
    const { run, emulator, project, primary } = await startCommand();
    emulator.lockProject(project.id);
    const { exitCode, stderr } = await run('endpoints', 'suspend', primary.id, '--timeout', '1');
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(
      /error: POST \S+\/suspend: 423 Locked \(create_branch \S+ running\); waited 1 s\n$/,
    );
  });

  it('restart once, even if the response is lost', async () => {
    for (const kind of ['lost-after-work', 'lost-before-work'] as const) {
      const { run, emulator, primary } = await startCommand();
      emulator.inject({ match: { method: 'POST' }, effect: { kind } });
      expect(await run('endpoints', 'restart', primary.id)).toMatchObject({ exitCode: 0 });
      expect(emulator.restarts(primary.id)).toBe(1);
    }
  });

  it('refuse to restart an idle compute, and suggest a start', async () => {
    const { run, primary } = await startCommand();
    await run('endpoints', 'suspend', primary.id);
    expect(await run('endpoints', 'restart', primary.id)).toEqual({
      exitCode: 4,
      stdout: '',
      stderr: `error: Endpoint ${primary.id} is Idle, and the service restarts only an active compute (status 409): start it with \`postgres-compute endpoints start ${primary.id} --project ${primary.project_id}\`.\n`,
    });
  });

  it("report the service's reason for not restarting an active compute", async () => {
    const { run, emulator, primary } = await startCommand();
    const message = 'the region is being moved';
    emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 409, message } });
    expect(await run('endpoints', 'restart', primary.id)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringMatching(
        /^error: POST \S+\/restart: 409 Conflict.*the region is being moved.*\n$/,
      ),
    });
    expect(emulator.restarts(primary.id)).toBe(0);
  });

  it('refuse to restart a disabled endpoint, and suggest to enable it', async () => {
    const { run, emulator, primary } = await startCommand();
    emulator.changeEndpoint(primary.id, { disabled: true });
    await run('endpoints', 'suspend', primary.id);
    const restart = await run('endpoints', 'restart', primary.id);
    expect(restart.stderr).toMatch(/is Stopped, .*: enable the endpoint first\.\n$/);
    const start = await run('endpoints', 'start', primary.id);
    expect(start).toMatchObject({ exitCode: 4, stderr: expect.stringMatching(/409 Conflict.*is disabled/) });
  });
});

describe('endpoints delete', () => {
  it('deletes the endpoint, and names it', async () => {
    const { run, emulator, provider, declare, primary } = await startCommand();
    const { id } = await provider.create(declare({ name: 'late' }));
    expect(await run('endpoints', 'delete', id)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining(`Endpoint ${id} (late) is deleted.\n`),
    });
    expect(emulator.endpoints(primary.project_id).map((endpoint) => endpoint.id)).not.toContain(id);
  });

  it('exits with 1 if its operation fails', async () => {
    const { run, emulator, primary } = await startCommand();
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
    expect(await run('endpoints', 'delete', primary.id)).toMatchObject({ exitCode: 1 });
  });
});
