import { startEmulator } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { look, startConsole } from '../support/console-client';

describe('the data', () => {
  it('has the newest project first, and opens that', async () => {
    const { emulator, look } = await startConsole();
    const newer = emulator.createProject({ name: 'newer' });
    const view = await look();
    expect(view.projects.map(({ name }) => name)).toEqual(['newer', 'test']);
    expect(view.project?.id).toBe(newer.id);
  });

  it('has the project that was asked for', async () => {
    const { emulator, project, look } = await startConsole();
    emulator.createProject({ name: 'newer' });
    expect((await look({ project: project.id })).project).toMatchObject({ id: project.id, name: 'test' });
  });

  it.each(['gone', '__proto__', ''])('has the newest project instead of %j', async (id) => {
    const { project, look } = await startConsole();
    expect((await look({ project: id })).project?.id).toBe(project.id);
  });

  it('has no project when there is none', async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.stop());
    expect(await look(emulator)).toMatchObject({ projects: [], projectCount: 0, project: null });
  });

  it('has names as they are: they are text', async () => {
    const { emulator, look } = await startConsole();
    const name = '</script><img src=x onerror=alert(1)>';
    emulator.createProject({ name });
    expect((await look()).project?.name).toBe(name);
  });

  it.each([
    ['scheduling', 'Scheduling'],
    ['running', 'In progress'],
    ['finished', 'OK'],
    ['failed', 'Error'],
    ['error', 'Error'],
    ['skipped', 'Skipped'],
    ['constructor', 'Constructor'],
  ])('says of the status %s: %s', async (status, word) => {
    const { emulator, create, look } = await startConsole();
    const fault = emulator.inject({ match: {}, effect: { kind: 'operation-status', status } });
    await create();
    await expect.poll(() => fault.hits).toBe(1);
    expect((await look()).project?.operations[0]).toMatchObject({ action: 'start_compute', status: word });
  });

  it('has a duration only of operations that have ended', async () => {
    const { emulator, project, look } = await startConsole();
    emulator.lockProject(project.id);
    const operations = (await look()).project?.operations ?? [];
    expect(operations.slice(0, 2)).toMatchObject([
      { action: 'create_branch', status: 'In progress', durationMs: null },
      { action: 'create_branch', status: 'OK', durationMs: expect.any(Number) },
    ]);
  });

  it('says of a compute Active, of one that is down Idle, and of a disabled one Stopped', async () => {
    const { emulator, call, endpoints, createActive, settled, look } = await startConsole();
    const id = await createActive();
    const stateOf = async () =>
      (await look()).project?.endpoints.find((endpoint) => endpoint.id === id)?.state;
    const states = [await stateOf()];
    for (const path of ['suspend', 'start']) {
      await call('POST', `${endpoints}/${id}/${path}`);
      await settled();
      states.push(await stateOf());
    }
    emulator.changeEndpoint(id, { disabled: true });
    states.push(await stateOf());
    await call('POST', `${endpoints}/${id}/suspend`);
    await settled();
    expect([...states, await stateOf()]).toEqual(['Active', 'Idle', 'Active', 'Active', 'Stopped']);
  });

  it('says where an endpoint is moving to', async () => {
    const { create, look } = await startConsole({ operationMs: 60_000 });
    const { body } = await create();
    const held = (await look()).project?.endpoints.find(({ id }) => id === body?.endpoint.id);
    expect(held).toMatchObject({ state: 'Idle', nextState: 'Active' });
  });

  it('has the newest 100 operations, and says how many there are', async () => {
    const { emulator, project, look } = await startConsole();
    for (let count = 0; count < 120; count += 1) emulator.createBranch(project.id, { name: `b${count}` });
    const view = await look();
    expect(view.project?.operations.map(({ branch }) => branch)).toEqual(
      Array.from({ length: 100 }, (_, index) => `b${119 - index}`),
    );
    expect(view.project?.operationCount).toBe(emulator.operations(project.id).length);
  });
});

describe('a change', () => {
  it('answers the request that waits for it', async () => {
    const { emulator, project, look } = await startConsole();
    const { version } = await look();
    const waiting = look({ project: project.id, after: version });
    emulator.lockProject(project.id);
    const view = await waiting;
    expect(view.version).not.toBe(version);
    expect(view.project?.operations[0]).toMatchObject({ action: 'create_branch', status: 'In progress' });
  });

  it('of another project is seen too', async () => {
    const { emulator, project, look } = await startConsole();
    const { version } = await look();
    const waiting = look({ project: project.id, after: version });
    emulator.createProject({ name: 'newer' });
    expect(await waiting).toMatchObject({ projects: [{ name: 'newer' }, { name: 'test' }] });
  });

  it('that was made behind the back of the user is seen too', async () => {
    const { emulator, project, look } = await startConsole();
    const { version } = await look();
    const waiting = look({ after: version });
    emulator.deleteEndpoint(emulator.endpoints(project.id)[0]?.id ?? '');
    expect((await waiting).project?.endpoints).toEqual([]);
  });

  it('is none when nothing changed: the version is the same', async () => {
    const { look } = await startConsole();
    expect((await look()).version).toBe((await look()).version);
  });

  it('is no longer waited for when the emulator stops', async () => {
    const { emulator, look } = await startConsole();
    const { version } = await look();
    const waiting = expect(look({ after: version })).rejects.toThrow('fetch failed');
    await emulator.stop();
    await waiting;
  });
});
