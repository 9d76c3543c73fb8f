import { startEmulator } from 'postgres-control-emulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readView, startConsole } from '../support/console-client';

describe('the console data', () => {
  it('the console lists the newest project first and selects it', async () => {
    const { emulator, readView } = await startConsole();
    const newer = emulator.createProject({ name: 'newer' });
    const view = await readView();
    expect(view.projects.map(({ name }) => name)).toEqual(['newer', 'test']);
    expect(view.project?.id).toBe(newer.id);
  });

  it.each(['gone', '__proto__', ''])(
    'the console shows the newest project instead of the unknown project %j',
    async (id) => {
      const { project, readView } = await startConsole();
      expect((await readView({ project: id })).project?.id).toBe(project.id);
    },
  );

  it('the console shows no project if there is none', async () => {
    const emulator = await startEmulator();
    onTestFinished(() => emulator.stop());
    expect(await readView(emulator)).toMatchObject({ projects: [], projectCount: 0, project: null });
  });

  it.each([
    ['scheduling', 'Scheduling'],
    ['running', 'In progress'],
    ['finished', 'OK'],
    ['failed', 'Error'],
    ['error', 'Error'],
    ['skipped', 'Skipped'],
    ['constructor', 'Constructor'],
  ])('the console labels the status %s as %s', async (status, word) => {
    const { emulator, create, readView } = await startConsole();
    const fault = emulator.inject({ match: {}, effect: { kind: 'operation-status', status } });
    await create();
    await expect.poll(() => fault.hits).toBe(1);
    expect((await readView()).project?.operations[0]).toMatchObject({
      action: 'start_compute',
      status: word,
    });
  });

  it('the console data has a duration only for operations that have ended', async () => {
    const { emulator, project, readView } = await startConsole();
    emulator.lockProject(project.id);
    const operations = (await readView()).project?.operations ?? [];
    expect(operations.slice(0, 2)).toMatchObject([
      { action: 'create_branch', status: 'In progress', durationMs: null },
      { action: 'create_branch', status: 'OK', durationMs: expect.any(Number) },
    ]);
  });

  it("an operation's duration is the API's, which includes the queue", async () => {
    const { emulator, project, call, endpoints, createActive, settled, readView } = await startConsole({
      operationMs: { apply_config: 300 },
    });
    const id = await createActive({ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 });
    await call('PATCH', `${endpoints}/${id}`, { endpoint: { autoscaling_limit_max_cu: 2 } });
    await settled();
    const [operation] = emulator.operations(project.id);
    expect((await readView()).project?.operations[0]?.durationMs).toBe(operation?.total_duration_ms);
    expect(operation?.total_duration_ms).toBeGreaterThanOrEqual(298);
  });

  it('the console labels computes Active, Idle, and Stopped if disabled', async () => {
    const { emulator, call, endpoints, createActive, settled, readView } = await startConsole();
    const id = await createActive();
    const stateOf = async () =>
      (await readView()).project?.endpoints.find((endpoint) => endpoint.id === id)?.state;
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

  it('the console shows the next state of an endpoint', async () => {
    const { create, readView } = await startConsole({ operationMs: 60_000 });
    const { body } = await create();
    const held = (await readView()).project?.endpoints.find(({ id }) => id === body?.endpoint.id);
    expect(held).toMatchObject({ state: 'Idle', nextState: 'Active' });
  });

  it('the console data has the newest 100 operations and the total', async () => {
    const { emulator, project, readView } = await startConsole();
    for (let count = 0; count < 120; count += 1) emulator.createBranch(project.id, { name: `b${count}` });
    const view = await readView();
    expect(view.project?.operations.map(({ branch }) => branch)).toEqual(
      Array.from({ length: 100 }, (_, index) => `b${119 - index}`),
    );
    expect(view.project?.operationCount).toBe(emulator.operations(project.id).length);
  });
});

describe('a change of the console data', () => {
  it('a change completes the waiting console request', async () => {
    const { emulator, project, readView } = await startConsole();
    const { version } = await readView();
    const waiting = readView({ project: project.id, after: version });
    emulator.lockProject(project.id);
    const view = await waiting;
    expect(view.version).not.toBe(version);
    expect(view.project?.operations[0]).toMatchObject({ action: 'create_branch', status: 'In progress' });
  });

  it('a change of another project completes the waiting console request', async () => {
    const { emulator, project, readView } = await startConsole();
    const { version } = await readView();
    const waiting = readView({ project: project.id, after: version });
    emulator.createProject({ name: 'newer' });
    expect(await waiting).toMatchObject({ projects: [{ name: 'newer' }, { name: 'test' }] });
  });

  it('the console version stays the same without a change', async () => {
    const { readView } = await startConsole();
    expect((await readView()).version).toBe((await readView()).version);
  });

  it('stopping the emulator ends the waiting console request', async () => {
    const { emulator, readView } = await startConsole();
    const { version } = await readView();
    const waiting = expect(readView({ after: version })).rejects.toThrow('fetch failed');
    await emulator.stop();
    await waiting;
  });
});
