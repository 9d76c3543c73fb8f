import { afterEach, describe, expect, it, vi } from 'vitest';
import { getBranch, getProject } from '../../provider/src/index';
import { startCommand } from '../support/start-command';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A service whose settings are in the environment of the lookup functions. */
async function startLookup() {
  const service = await startCommand();
  vi.stubEnv('POSTGRES_COMPUTE_BASE_URL', service.emulator.url);
  vi.stubEnv('POSTGRES_COMPUTE_API_KEY', service.emulator.apiKey);
  const defaultBranchId = service.primary.branch_id;
  return { ...service, projectId: service.project.id, defaultBranchId };
}

describe('getBranch', () => {
  it('finds a branch by its id, by its name, and the default branch', async () => {
    const { projectId, branch, defaultBranchId } = await startLookup();
    const found = await getBranch({ projectId, name: 'feature' });
    expect(found).toMatchObject({ id: branch.id, projectId, parentId: defaultBranchId, default: false });
    expect(await getBranch({ projectId, branchId: branch.id })).toEqual(found);
    expect(await getBranch({ projectId })).toMatchObject({ id: defaultBranchId, default: true });
  });

  it('lists the branches that exist when none has the name', async () => {
    const { projectId, branch, defaultBranchId } = await startLookup();
    const { name } = await getBranch({ projectId });
    const existing = [`feature (${branch.id})`, `${name} (${defaultBranchId})`].join(', ');
    await expect(getBranch({ projectId, name: 'featrue' })).rejects.toThrow(
      `Project ${projectId} has no branch named "featrue". It has: ${existing}.`,
    );
  });

  it('refuses an id and a name together', async () => {
    const { projectId, branch } = await startLookup();
    await expect(getBranch({ projectId, branchId: branch.id, name: 'feature' })).rejects.toThrow(
      'getBranch: give branchId or name, not both.',
    );
  });
});

describe('databases, roles and connection-uri of the command', () => {
  it('list the names, and connection-uri takes the only ones', async () => {
    const { run } = await startLookup();
    const listed = await Promise.all(['databases', 'roles'].map((kind) => run(kind, 'list')));
    expect(listed.map(({ stdout }) => stdout.trim().split(/\s+/))).toEqual([
      ['NAME', 'app'],
      ['NAME', 'app_owner'],
    ]);
    expect((await run('connection-uri')).stdout).toMatch(/^postgresql:\/\/app_owner:.*\/app\?/);
  });
});

describe('getProject', () => {
  it('finds a project by its id and by its name', async () => {
    const { projectId } = await startLookup();
    const found = await getProject({ name: 'test' });
    expect(found).toMatchObject({ id: projectId, name: 'test' });
    expect(await getProject({ projectId })).toEqual(found);
  });

  it('lists the ids when several projects have the name', async () => {
    const { projectId, emulator } = await startLookup();
    const other = emulator.createProject({ name: 'test' });
    const ids = [projectId, other.id].sort().join(', ');
    await expect(getProject({ name: 'test' })).rejects.toThrow(
      `The account has more than one project named "test": ${ids}. Give the id.`,
    );
  });

  it.each([{}, { projectId: 'p', name: 'test' }])('refuses %j', async (of) => {
    await startLookup();
    await expect(getProject(of)).rejects.toThrow('getProject: give either projectId or name.');
  });
});

describe('the command', () => {
  it('projects list and get show projects, by id or name', async () => {
    const { run, projectId, emulator } = await startLookup();
    const [, ...rows] = (await run('projects', 'list')).stdout.trim().split('\n');
    expect(rows.map((row) => row.split(/ {2,}/)[0]).sort()).toEqual(
      emulator
        .projects()
        .map(({ id }) => id)
        .sort(),
    );
    const byName = await run('projects', 'get', 'test');
    expect(byName.stdout).toMatch(new RegExp(`^id +${projectId}\nname +test\n`));
    expect(await run('projects', 'get', projectId)).toEqual(byName);
  });

  it('branches list and get show branches, by id or name', async () => {
    const { run, branch, defaultBranchId } = await startLookup();
    const { stdout } = await run('branches', 'list', '--json');
    expect(JSON.parse(stdout).branches).toHaveLength(2);
    expect((await run('branches', 'list')).stdout).toMatch(
      new RegExp(`^${branch.id} +feature +${defaultBranchId}$`, 'm'),
    );
    expect((await run('branches', 'get', 'feature')).stdout).toMatch(new RegExp(`^id +${branch.id}\n`));
    expect((await run('branches', 'get')).stdout).toMatch(/^kind +default$/m);
  });

  it('an unknown branch exits with code 4', async () => {
    const { run } = await startLookup();
    const { exitCode, stderr } = await run('branches', 'get', 'none');
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/^error: Project \S+ has no branch named "none"\. It has: feature/);
  });
});
