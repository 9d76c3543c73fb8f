import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import execa from 'execa';
import { describe, expect, it } from 'vitest';
import { startService } from '../support/service-client';
import { makeTemporaryFolder } from '../support/temporary-folder';

const command = join(__dirname, '../../node_modules/neon/dist/cli.js');

/** Starts an emulator with a project, and returns a function that runs a command against it and reads its JSON. */
async function startCommandLine() {
  const service = await startService();
  const folder = makeTemporaryFolder();
  const words = ['--api-host', service.emulator.url, '--no-analytics'];
  words.push('--config-dir', join(folder, 'config'), '--context-file', join(folder, '.neon'));
  // Without the variables of this process: a proxy or a stored profile would lead elsewhere.
  const env = { HOME: folder, CI: 'true', NEON_API_KEY: service.emulator.apiKey };
  const runForText = async (...args: string[]) =>
    (await execa(process.execPath, [command, ...args, ...words], { env, extendEnv: false, cwd: folder }))
      .stdout;
  const run = async (...args: string[]) => JSON.parse(await runForText(...args, '--output', 'json'));
  return { ...service, folder, run, runForText };
}

// Each command is a process of its own, which takes seconds on a busy machine.
describe("the service's command line", () => {
  it('neon projects list, get and delete', async () => {
    const { emulator, project, run } = await startCommandLine();
    expect(await run('projects', 'list')).toMatchObject({ projects: [{ id: project.id }] });
    expect(await run('projects', 'get', project.id)).toMatchObject({ id: project.id, name: 'test' });
    expect(await run('projects', 'delete', project.id)).toMatchObject({ id: project.id });
    await expect.poll(() => emulator.projects()).toEqual([]);
  });

  it('neon branches create, list, get, rename, set-default and delete', async () => {
    const { settled, run } = await startCommandLine();
    const created = await run('branches', 'create', '--name', 'dev');
    const { id } = created.branch;
    expect(created.endpoints).toMatchObject([{ branch_id: id, type: 'read_write' }]);
    await settled();
    const names = (await run('branches', 'list')).map(({ name }: { name: string }) => name);
    expect(names.toSorted()).toEqual(['dev', 'feature', 'main']);
    expect(await run('branches', 'rename', 'dev', 'trial')).toMatchObject({ id, name: 'trial' });
    expect(await run('branches', 'get', 'trial')).toMatchObject({ id, current_state: 'ready' });
    expect(await run('branches', 'set-default', 'feature')).toMatchObject({ default: true });
    expect(await run('branches', 'delete', 'trial')).toMatchObject({ id });
  });

  it('neon creates and deletes roles and databases', async () => {
    const { call, project, branch, run } = await startCommandLine();
    const path = `/projects/${project.id}/branches/${branch.id}`;
    const on = ['--branch', 'feature'];
    await run('roles', 'create', '--name', 'bob', ...on);
    await run('databases', 'create', '--name', 'more', '--owner-name', 'bob', ...on);
    expect((await call('GET', `${path}/databases/more`)).body?.database).toMatchObject({ owner_name: 'bob' });
    await run('databases', 'delete', 'more', ...on);
    await run('roles', 'delete', 'bob', ...on);
    expect((await call('GET', `${path}/roles/bob`)).status).toBe(404);
  });

  it('neon connection-string leads to the endpoint, or to its pooler', async () => {
    const { emulator, project, runForText } = await startCommandLine();
    const [endpoint] = emulator.endpoints(project.id);
    const direct = new URL(await runForText('connection-string'));
    expect([direct.username, direct.host, direct.pathname]).toEqual(['app_owner', endpoint?.host, '/app']);
    expect(direct.password).not.toBe('');
    const pooled = new URL(await runForText('connection-string', 'main', '--pooled'));
    expect(pooled.host).toBe(endpoint?.host.replace(endpoint.id, `${endpoint.id}-pooler`));
  });

  it('neon branches set-expiration, create --expires-at and --schema-only', async () => {
    const { emulator, project, settled, run } = await startCommandLine();
    const at = `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;
    expect(await run('branches', 'set-expiration', 'feature', '--expires-at', at)).toMatchObject({
      expires_at: at,
    });
    await run('branches', 'set-expiration', 'feature');
    const { branch } = await run('branches', 'create', '--name', 'temporary', '--expires-at', at);
    await settled();
    const schema = await run('branches', 'create', '--name', 'schema', '--schema-only');
    await settled();
    expect(emulator.branches(project.id)).toMatchObject([
      { name: 'main' },
      { name: 'feature' },
      { id: branch.id, expires_at: at },
      { id: schema.branch.id, init_source: 'schema-only' },
    ]);
    expect(emulator.branches(project.id)[1]?.expires_at).toBeUndefined();
  });

  it('neon branches add-compute, reset and restore', async () => {
    const { emulator, project, branch, settled, run } = await startCommandLine();
    const compute = await run('branches', 'add-compute', 'feature', '--type', 'read_write', '--cu', '1-2');
    await settled();
    expect(emulator.endpoints(project.id)).toMatchObject([
      {},
      { id: compute.id, branch_id: branch.id, autoscaling_limit_max_cu: 2 },
    ]);
    const { last_reset_at } = await run('branches', 'reset', 'feature', '--parent');
    expect(last_reset_at).toEqual(expect.any(String));
    await settled();
    const words = ['feature', '^self@2026-01-31T08:00:00Z', '--preserve-under-name', 'before'];
    expect(await run('branches', 'restore', ...words)).toMatchObject({
      restored_branch: { id: branch.id },
      backup_branch: { name: 'before' },
    });
  });

  it('neon config plan shows no change after config apply', async () => {
    const { emulator, branch, createActive, folder, run } = await startCommandLine();
    const endpointId = await createActive({ branch_id: branch.id });
    const sizes = { autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2, suspendTimeout: '10m' };
    const tuning = { ttl: '1h', postgres: { computeSettings: sizes } };
    const module = pathToFileURL(join(__dirname, '../../node_modules/@neon/config/dist/index.js'));
    const program = `import { defineConfig } from '${module}';\nexport default defineConfig({ branch: () => (${JSON.stringify(tuning)}) });\n`;
    writeFileSync(join(folder, 'neon.mjs'), program);
    const actions = async (...words: string[]) => {
      const { applied } = await run('config', ...words, '--branch', 'feature');
      return applied.map(({ action }: { action: string }) => action);
    };
    expect(await actions('plan')).toEqual(['noop', 'update', 'update']);
    expect(await actions('apply', '--update-existing', '--no-env-pull')).toEqual([
      'noop',
      'update',
      'update',
    ]);
    expect(await actions('plan')).toEqual(['noop']);
    const held = emulator.endpoints().find(({ id }) => id === endpointId);
    expect(held).toMatchObject({ autoscaling_limit_max_cu: 2, suspend_timeout_seconds: 600 });
    expect(emulator.branches(branch.project_id)[1]?.ttl_interval_seconds).toBe(3600);
  });
});
