import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { collectDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runRefresh, runUp } from '../../support/door';
import { dynamicDoor } from '../../support/dynamic-door';
import { pluginDoor } from '../../support/plugin-door';
import { doors } from '../../support/start-door';
import { startNamedDoor } from '../../support/start-named-door';

const shown = collectDiagnostics();

const creation = { method: 'POST', path: '/projects/:project/branches/:branch/roles' };
const rotation = { method: 'POST', path: '/projects/:project/branches/:branch/roles/:role/reset_password' };
const config = { action: 'apply_config' };
const first = { passwordTriggers: { year: 1 } };
const second = { passwordTriggers: { year: 2 } };

describe.each(doors)('a Role by %s', (_name, door) => {
  async function startRole() {
    const ground = await startNamedDoor(door, 'role');
    const { emulator, project, branch, at, api } = ground;
    emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_write' });
    await sleep(1_000);
    return {
      ...ground,
      password: (name = 'app') => api.revealPassword({ ...at, name }),
      remove: (name = 'app') => api.deleteNamed('role', { ...at, name }),
    };
  }

  it('is created with its password, does not drift, and is deleted', async () => {
    const { up, preview, password, names, startRun, project, branch } = await startRole();
    const state = await up({});
    expect(state.id).toBe(`${project.id}/${branch.id}/app`);
    expect(JSON.stringify(state.outputs.password)).toContain(await password());
    expect(await preview({}, state)).toMatchObject({ hasChanges: false });
    expect(await runRefresh(await startRun(), state)).toMatchObject({ hasChanges: false });
    await (await startRun()).delete(state);
    expect(await names()).not.toContain('app');
  });

  it('gets a new password for each change of its triggers', async () => {
    const { up, preview, password } = await startRole();
    const state = await up(first);
    const before = await password();
    await preview(second, state);
    expect(shown.join('')).toContain('gives the role a new password and drops the connections');
    const after = await up(second, state);
    expect(await password()).not.toBe(before);
    expect(JSON.stringify(after.outputs.password)).toContain(await password());
    expect(await preview(second, after)).toMatchObject({ hasChanges: false });
  });

  it.each<[string, RequestEffect]>([
    ['lost before the work', { kind: 'lost-before-work' }],
    ['lost after the work', { kind: 'lost-after-work' }],
    ['a 502 after the work', { kind: 'status', status: 502, when: 'after-work' }],
    ['truncated', { kind: 'malformed' }],
  ])('has the password of the service although a response is %s', async (_how, effect) => {
    const { up, password, emulator, names } = await startRole();
    emulator.inject({ match: creation, effect });
    const state = await up(first);
    expect(JSON.stringify(state.outputs.password)).toContain(await password());
    emulator.inject({ match: rotation, effect });
    const after = await up(second, state);
    expect(JSON.stringify(after.outputs.password)).toContain(await password());
    expect((await names()).filter((name) => name === 'app')).toHaveLength(1);
  });

  it('of a killed create is taken over with adopt: true', async () => {
    const { up, password } = await startRole();
    const killed = await up({}); // Its state is lost.
    const { message } = await callErrorOf(up({}));
    expect(message).toContain('To take it over, set adopt: true (also if a killed `pulumi up` created it)');
    const adopted = await up({ adopt: true });
    expect(adopted.id).toBe(killed.id);
    expect(JSON.stringify(adopted.outputs.password)).toContain(await password());
  });

  it.each([['failed'], ['error']] as const)(
    'is applied by the next up after a %s operation',
    async (status) => {
      const { up, preview, password, emulator, writes } = await startRole();
      emulator.inject({ match: config, effect: { kind: 'operation-fails', status } });
      const failed = await failedState(up({}));
      expect(failed.outputs.unsettledOperations).toMatchObject([{ action: 'apply_config', status }]);
      await preview({}, failed);
      expect(shown.join('')).toContain('an earlier one was not applied');
      const state = await up({}, failed);
      expect(writes().at(-1)?.path).toContain('reset_password');
      expect(state.outputs).not.toHaveProperty('unsettledOperations');
      expect(JSON.stringify(state.outputs.password)).toContain(await password());
    },
  );

  it('is waited for by the next up when its operation takes longer', async () => {
    const { up, emulator, password } = await startRole();
    const hanging = emulator.inject({ match: config, effect: { kind: 'operation-hangs' } });
    const late = await failedState(up({}, undefined, 0.5));
    hanging.clear();
    const state = await up({}, late);
    expect(state.outputs).not.toHaveProperty('unsettledOperations');
    expect(JSON.stringify(state.outputs.password)).toContain(await password());
  });

  it('waits while other operations lock the project', async () => {
    const { up, emulator, project, writes, names } = await startRole();
    const unlock = emulator.lockProject(project.id);
    const done = up({});
    await sleep(500);
    expect(writes().map(({ status }) => status)).toContain(423);
    expect(await names()).not.toContain('app');
    unlock();
    expect((await done).outputs.password).toBeDefined();
  });

  it('that others have deleted is missing, and counts as deleted', async () => {
    const { up, remove, startRun } = await startRole();
    const state = await up({});
    await remove();
    await sleep(1_000);
    expect(await runRefresh(await startRun(), state)).toMatchObject({ state: undefined });
    await (await startRun()).delete(state);
  });

  it('goes with its branch, which a delete and a refresh survive', async () => {
    const { up, startRun, api, project, branch } = await startRole();
    const state = await up({});
    await api.deleteBranch(project.id, branch.id);
    await sleep(1_000);
    expect(await runRefresh(await startRun(), state)).toMatchObject({ state: undefined });
    await (await startRun()).delete(state);
  });

  it('has no password where the project stores none and others created it', async () => {
    const { startRun, emulator } = await startNamedDoor(door, 'role');
    const project = emulator.createProject({ store_passwords: false });
    const [main] = emulator.branches(project.id);
    const on = { projectId: project.id, branchId: main?.id ?? '' };
    const own = await runUp(await startRun(), { args: { ...on, name: 'own' } });
    expect(own.outputs.password).toBeDefined();
    const adopting = { args: { ...on, name: 'app_owner', adopt: true } };
    const adopted = await runUp(await startRun(), adopting);
    expect(adopted.outputs).not.toHaveProperty('password');
    expect(shown.join('')).toContain('has no output password: the project stores no passwords');
    expect(await runPreview(await startRun(), adopting, adopted)).toMatchObject({ hasChanges: false });
  });

  it('has a password that is a secret', async () => {
    const { up } = await startRole();
    expect((await up({})).outputs.password).toMatchObject({
      '4dabf18193072939515e22adb298388d': expect.any(String),
    });
  });

  it('is replaced by another name', async () => {
    const { up, names } = await startRole();
    const state = await up({ name: 'old' });
    await up({ name: 'new' }, state);
    expect(await names()).toEqual(expect.arrayContaining(['new']));
    expect(await names()).not.toContain('old');
  });

  it('that owns a database is not deleted, and the error says what to do', async () => {
    const { project, startRun, emulator } = await startRole();
    const [main] = emulator.branches(project.id).filter((branch) => branch.default);
    const adopting = {
      args: { projectId: project.id, branchId: main?.id ?? '', name: 'app_owner', adopt: true },
    };
    const state = await runUp(await startRun(), adopting);
    const { message } = await callErrorOf((await startRun()).delete(state));
    expect(message).toContain('owns the database app: delete it, or change its owner, first');
    expect(message).toContain('the resource option `deletedWith` names the branch');
  });

  it.each([
    ['pg_read', 'must be no name of the service'],
    ['public', 'must be no name of the service'],
    ['', 'must be 1 to 63 bytes'],
    ['é'.repeat(32), 'must be 1 to 63 bytes'],
  ])('is refused with the name "%s"', async (name, reason) => {
    const { startRun, declare } = await startNamedDoor(door, 'role');
    const { failures } = await (await startRun()).check(undefined, declare({ name }));
    expect(failures).toMatchObject([{ property: 'name', reason: expect.stringContaining(reason) }]);
  });
});

it('a lookup by the dynamic provider has the password', async () => {
  const { startRun, declare } = await startNamedDoor(dynamicDoor, 'role');
  const { id, outputs } = await runUp(await startRun(), declare());
  const { args } = declare();
  const found = await (await startRun()).read({ id, declared: { inputs: args }, outputs: { ...args } });
  expect(found?.outputs).toMatchObject({ password: outputs.password, createdAt: outputs.createdAt });
});

it('an import takes PROJECT/BRANCH/NAME, where a name may have slashes', async () => {
  const { startRun, declare, project, branch } = await startNamedDoor(pluginDoor, 'role');
  const state = await runUp(await startRun(), declare({ name: 'team/app' }));
  const id = `${project.id}/${branch.id}/team/app`;
  const found = await (await startRun()).read({ id, declared: { inputs: {} }, outputs: {} });
  expect(found).toMatchObject({
    id: state.id,
    declared: { inputs: { branchId: branch.id, name: 'team/app' } },
  });
  const imported = found && (await runPreview(await startRun(), declare({ name: 'team/app' }), found));
  expect(imported).toMatchObject({ hasChanges: false });
});
