import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { collectDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runUp } from '../../support/door';
import { dynamicDoor } from '../../support/dynamic-door';
import { doors } from '../../support/start-door';
import { startNamedDoor } from '../../support/start-named-door';

const shown = collectDiagnostics();

const creation = { method: 'POST', path: '/projects/:project/branches/:branch/roles' };
const rotation = { method: 'POST', path: '/projects/:project/branches/:branch/roles/:role/reset_password' };
const first = { passwordTriggers: { year: 1 } };
const second = { passwordTriggers: { year: 2 } };

type Ground = Pick<Awaited<ReturnType<typeof startNamedDoor>>, 'api' | 'at'>;

describe.each(doors)('a Role by %s', (_name, door) => {
  async function startRole() {
    const ground = await startNamedDoor(door, 'role');
    const { emulator, project, branch, at, api } = ground;
    emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_write' });
    await sleep(1_000);
    return {
      ...ground,
      password: () => api.revealPassword({ ...at, name: 'app' }),
    };
  }

  it('is created with its password, does not drift, and is deleted', async () => {
    const { up, preview, refresh, destroy, password, names, project, branch } = await startRole();
    const state = await up({});
    expect(state.id).toBe(`${project.id}/${branch.id}/app`);
    // A secret.
    expect(state.outputs.password).toMatchObject({
      '4dabf18193072939515e22adb298388d': expect.any(String),
    });
    expect(JSON.stringify(state.outputs.password)).toContain(await password());
    expect(await preview({}, state)).toMatchObject({ hasChanges: false });
    expect(await refresh(state)).toMatchObject({ hasChanges: false });
    await destroy(state);
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
    expect(message).toContain('To take it over, set adopt: true (also if the branch has it from its parent');
    const adopted = await up({ adopt: true });
    expect(adopted.id).toBe(killed.id);
    expect(JSON.stringify(adopted.outputs.password)).toContain(await password());
  });

  it('is applied by the next up after a failed operation', async () => {
    const { up, preview, password, emulator, writes } = await startRole();
    emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    const failed = await failedState(up({}));
    expect(failed.outputs.unsettledOperations).toMatchObject([{ action: 'apply_config' }]);
    await preview({}, failed);
    expect(shown.join('')).toContain('an earlier one was not applied');
    const unsettledOperations = [{ action: 'apply_config', id: 'op-1', status: 'running' }];
    await preview({}, { ...failed, outputs: { ...failed.outputs, unsettledOperations } });
    expect(shown.join('')).toContain('unless the earlier one, for which `pulumi up` waits first, succeeds');
    const state = await up({}, failed);
    expect(writes().at(-1)?.path).toContain('reset_password');
    expect(state.outputs).not.toHaveProperty('unsettledOperations');
    expect(JSON.stringify(state.outputs.password)).toContain(await password());
  });

  it.each([
    ['that', ({ api, at }: Ground) => api.deleteNamed('role', { ...at, name: 'app' })],
    ['its branch', ({ api, at }: Ground) => api.deleteBranch(at.projectId, at.branchId)],
  ])('is missing once others have deleted %s, and counts as deleted', async (_what, remove) => {
    const ground = await startRole();
    const { up, refresh, destroy } = ground;
    const state = await up({});
    await remove(ground);
    await sleep(1_000);
    expect(await refresh(state)).toMatchObject({ state: undefined });
    await destroy(state);
  });

  it('has only the password of its own create where the project stores none', async () => {
    const { startRun, emulator } = await startNamedDoor(door, 'role');
    const project = emulator.createProject({ store_passwords: false });
    const [main] = emulator.branches(project.id);
    const on = { projectId: project.id, branchId: main?.id ?? '' };
    const program = { args: { ...on, name: 'own' } };
    const own = await runUp(await startRun(), program);
    expect(own.outputs.password).toBeDefined();
    // As after an interrupted wait for a reset.
    const uncertain = { ...own, outputs: { ...own.outputs, __ledger: { past: 'uncertain' } } };
    const { outputs } = await runUp(await startRun(), program, uncertain);
    expect(JSON.stringify(outputs.password)).toContain(JSON.stringify(own.outputs.password));
    const adopting = { args: { ...on, name: 'app_owner', adopt: true } };
    const adopted = await runUp(await startRun(), adopting);
    expect(adopted.outputs).not.toHaveProperty('password');
    expect(shown.join('')).toContain('has no output password: the project stores no passwords');
    expect(await runPreview(await startRun(), adopting, adopted)).toMatchObject({ hasChanges: false });
  });
});

it('a lookup by the dynamic provider has the password', async () => {
  const { startRun, declare } = await startNamedDoor(dynamicDoor, 'role');
  const { id, outputs } = await runUp(await startRun(), declare());
  const { args } = declare();
  const found = await (await startRun()).read({ id, declared: { inputs: args }, outputs: { ...args } });
  expect(found?.outputs).toMatchObject({ password: outputs.password, createdAt: outputs.createdAt });
});
