import { describe, expect, it } from 'vitest';
import { startCommand } from '../support/start-command';

async function startLookups() {
  const service = await startCommand();
  const { project } = service;
  const add = (kind: string, body: object) =>
    service.request('POST', `/projects/${project.id}/branches/${service.primary.branch_id}/${kind}`, body);
  const readJson = async (...words: string[]) => JSON.parse((await service.run(...words, '--json')).stdout);
  return { ...service, branchId: service.primary.branch_id, add, readJson };
}

describe('projects', () => {
  it('get shows one by id or name, as text or JSON', async () => {
    const { run, readJson, project } = await startLookups();
    const { stdout } = await run('projects', 'get', 'test');
    expect(stdout).toMatch(new RegExp(`id +${project.id}\nname +test\nregion .*\nPostgres +\\d+\ncreated `));
    expect(await readJson('projects', 'get', project.id)).toMatchObject({ id: project.id, name: 'test' });
    expect((await readJson('projects', 'list')).projects).toContainEqual(
      expect.objectContaining({ id: project.id }),
    );
  });

  it('list says what it waits for after a 429', async () => {
    const { run, emulator } = await startLookups();
    const effect = { kind: 'status', status: 429, retryAfterSeconds: 60 } as const;
    emulator.inject({ match: { method: 'GET' }, effect });
    const { exitCode, stderr } = await run('projects', 'list');
    expect([exitCode, stderr]).toEqual([0, 'waiting for the service, which returned 429: 60 s\n']);
  });

  it('get of one that does not exist names those that do', async () => {
    const { run, project } = await startLookups();
    const { exitCode, stderr } = await run('projects', 'get', 'tset');
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`It has: test (${project.id})`);
  });
});

describe('branches', () => {
  it('list and get show parent, kind and expiry', async () => {
    const { run, readJson, request, project, branch, branchId } = await startLookups();
    const expiry = { branch: { expires_at: new Date(Date.now() + 3_600_000).toISOString() } };
    await request('PATCH', `/projects/${project.id}/branches/${branch.id}`, expiry);
    const { stdout } = await run('branches', 'list');
    expect(stdout).toMatch(new RegExp(`${branchId}\\s+\\S+\\s+default`));
    expect(stdout).toMatch(new RegExp(`${branch.id}\\s+feature\\s+${branchId}\\s+expires \\d`));
    expect((await run('branches', 'get', 'feature')).stdout).toMatch(new RegExp(`parent +${branchId}`));
    expect(await readJson('branches', 'get')).toMatchObject({ id: branchId, default: true });
    expect((await readJson('branches', 'list')).branches).toHaveLength(2);
  });
});

describe('databases and roles', () => {
  it.each(['databases', 'roles'])('%s list is of the branch that is given', async (kind) => {
    const { run, readJson, emulator, project } = await startLookups();
    const [name] = (await readJson(kind, 'list', '--branch', 'feature'))[kind];
    expect(name).toEqual({ name: kind === 'roles' ? 'app_owner' : 'app' });
    expect(emulator.requests().at(-1)?.path).toMatch(new RegExp(`${project.id}/branches/.*/${kind}$`));
    expect((await run(kind, 'list')).stdout).toBe(`NAME\n${name.name}\n`);
    expect((await run(kind, 'list', '--branch', 'none')).exitCode).toBe(4);
  });
});

describe('connection-uri', () => {
  it.each([
    ['databases', { database: { name: 'second', owner_name: 'app_owner' } }, '--database', 'app, second'],
    ['roles', { role: { name: 'second' } }, '--role', 'app_owner, second'],
  ])('asks which of several %s', async (kind, body, option, names) => {
    const { run, add } = await startLookups();
    await add(kind, body);
    const { exitCode, stderr } = await run('connection-uri');
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`has several ${kind}: give one with ${option}. It has: ${names}.`);
    expect((await run('connection-uri', option, 'second')).stdout).toContain('second');
  });

  it('is of the endpoint or the branch that is given, and pooled if asked', async () => {
    const { run, readJson, add, emulator, project, branch, primary } = await startLookups();
    const { branch_id } = primary;
    const replica = emulator.createEndpoint(project.id, { branch_id, type: 'read_only', name: 'reports' });
    const own = emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_write' });
    for (const idOrName of [replica.id, 'reports'])
      expect((await run('connection-uri', '--endpoint', idOrName)).stdout).toContain(`@${replica.id}.`);
    expect((await run('connection-uri', '--branch', 'feature', '--pooled')).stdout).toContain(
      `@${own.id}-pooler.`,
    );
    expect(await readJson('connection-uri')).toMatchObject({
      uri: expect.stringContaining(`@${primary.id}.`),
    });
    await add('databases', { database: { name: 'second', owner_name: 'app_owner' } });
    expect((await run('connection-uri', '--endpoint', own.id)).stdout).toContain(`@${own.id}.`);
  });
});
