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

const inAnHour = () => `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;

// Each command is a process of its own, which takes seconds on a busy machine.
describe("the service's command line", () => {
  it('neon projects list and connection-string, also of the pooler', async () => {
    const { emulator, project, run, runForText } = await startCommandLine();
    expect(await run('projects', 'list')).toMatchObject({ projects: [{ id: project.id }] });
    const [endpoint] = emulator.endpoints(project.id);
    const pooled = new URL(await runForText('connection-string', 'main', '--pooled'));
    expect([pooled.username, pooled.pathname]).toEqual(['app_owner', '/app']);
    expect(pooled.host).toBe(endpoint?.host.replace(endpoint.id, `${endpoint.id}-pooler`));
  });

  it('neon changes and shows projects, branches, roles and databases', async () => {
    const { project, branch, settled, run } = await startCommandLine();
    const on = ['--branch', 'trial'];
    const rows: [words: string[], shown: object][] = [
      [['me'], { plan: 'paid' }],
      [['orgs', 'list'], [{ id: 'emulator-account' }]],
      [
        ['operations', 'list'],
        ['create_branch', 'start_compute', 'create_timeline'].map((action) => ({ action })),
      ],
      [['projects', 'get', project.id], { name: 'test' }],
      [['branches', 'rename', 'feature', 'trial'], { id: branch.id, name: 'trial' }],
      [['branches', 'get', 'trial'], { current_state: 'ready' }],
      [['roles', 'create', '--name', 'bob', ...on], { name: 'bob' }],
      [
        ['roles', 'list', ...on],
        [{ name: 'app_owner' }, { name: 'bob' }],
      ],
      [['databases', 'create', '--name', 'more', '--owner-name', 'bob', ...on], { name: 'more' }],
      [
        ['databases', 'list', ...on],
        [{ name: 'app' }, { owner_name: 'bob' }],
      ],
      [['databases', 'delete', 'more', ...on], { name: 'more' }],
      [['roles', 'delete', 'bob', ...on], { name: 'bob' }],
      [['branches', 'set-expiration', 'trial', '--expires-at', inAnHour()], { id: branch.id }],
      [
        ['branches', 'list'],
        [{ name: 'trial' }, { name: 'main' }],
      ],
      [['branches', 'delete', 'trial'], { id: branch.id }],
      [['projects', 'create', '--name', 'other'], { project: { name: 'other' } }],
      [['projects', 'delete', project.id], { id: project.id }],
    ];
    for (const [words, shown] of rows) {
      await settled();
      expect([words, await run(...words)]).toMatchObject([words, shown]);
    }
  });

  it('neon branches create, with an expiry or only the schema', async () => {
    const { emulator, project, settled, run } = await startCommandLine();
    const at = inAnHour();
    const created = await run('branches', 'create', '--name', 'temporary', '--expires-at', at);
    expect(created.endpoints).toMatchObject([{ branch_id: created.branch.id, type: 'read_write' }]);
    await settled();
    await run('branches', 'create', '--name', 'schema', '--schema-only');
    expect(emulator.branches(project.id).slice(2)).toMatchObject([
      { name: 'temporary', expires_at: at },
      { name: 'schema', init_source: 'schema-only' },
    ]);
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
    const { branch, createActive, folder, run } = await startCommandLine();
    await createActive({ branch_id: branch.id });
    const sizes = { autoscalingLimitMinCu: 0.5, autoscalingLimitMaxCu: 2, suspendTimeout: '10m' };
    const tuning = { ttl: '1h', postgres: { computeSettings: sizes } };
    const module = pathToFileURL(join(__dirname, '../../node_modules/@neon/config/dist/index.js'));
    const program = `import { defineConfig } from '${module}';\nexport default defineConfig({ branch: () => (${JSON.stringify(tuning)}) });\n`;
    writeFileSync(join(folder, 'neon.mjs'), program);
    const actions = async (...words: string[]) => {
      const { applied } = await run('config', ...words, '--branch', 'feature');
      return applied.map(({ action }: { action: string }) => action);
    };
    const changes = ['noop', 'update', 'update'];
    expect(await actions('apply', '--update-existing', '--no-env-pull')).toEqual(changes);
    expect(await actions('plan')).toEqual(['noop']);
  });
});
