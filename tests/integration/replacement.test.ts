import { describe, expect, it } from 'vitest';
import { unknownValue } from '../../provider/src/lifecycle/input-values';
import { errorOf } from '../support/failure';
import { type StoredResource, startEngineRuns } from '../support/start-engine-run';
import { startBranchProgram } from '../support/start-program';
import { until } from '../support/virtual-world';

// Replacements in the orders that resource options give. Those that delete first: ordinary-runs.test.ts.

const beforeDelete = { createsBeforeDelete: true };

/** A replica in state, whose program sets deleteBeforeReplace: false. */
async function startReplica(args: object = {}) {
  const ground = await startEngineRuns();
  const { emulator, project, branch, startRun } = ground;
  const declared = { projectId: project.id, branchId: branch.id, type: 'read_only' };
  const create = (run: ReturnType<typeof startRun>, inputs: object) =>
    run.create('endpoint', 'api', { ...declared, ...inputs }, beforeDelete);
  const held = () => emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id);
  return {
    ...ground,
    declared,
    old: await create(startRun(), args),
    held,
    heldIds: () => held().map(({ id }) => id),
    /** @param cause a forced replacement has no diff */
    replace: async (old: StoredResource, inputs: object, cause: 'declared' | 'forced') => {
      const run = startRun();
      if (cause === 'declared') await run.preview(old, { ...declared, ...inputs });
      const next = await create(run, inputs);
      await run.delete(old);
      return { next, shown: run.shown.join() };
    },
  };
}

it('with retainOnDelete, a replacement drops no connections', async () => {
  const { emulator, branch, project, startRun } = await startEngineRuns();
  const retained = { retainsOnDelete: true };
  const guarded = { projectId: project.id, branchId: branch.id, type: 'read_only', allowRestart: false };
  const old = await startRun().create('endpoint', 'api', guarded, retained);
  expect(emulator.endpoints().find(({ id }) => id === old.id)).toMatchObject({ current_state: 'active' });
  const run = startRun();
  await run.preview(old, { ...guarded, provisioner: 'k8s-pod' }, retained);
  const sentence = `leaves endpoint ${old.id} at the service (retainOnDelete), and creates one with another host: provisioner`;
  expect(run.shown).toContain(sentence);
});

describe('with deleteBeforeReplace: false', () => {
  it.each([
    ['', { provisioner: 'k8s-pod' }],
    [' without a changed property (replaceWith)', {}],
  ] as const)('a declared replacement%s makes a replica of another derived name', async (_why, change) => {
    const { old, heldIds, replace } = await startReplica();
    const { next } = await replace(old, change, 'declared');
    expect(next.id).not.toBe(old.id);
    expect(heldIds()).toEqual([next.id]);
    expect(next.outputs.name).not.toBe(old.outputs.name);
  });

  it('a forced replacement keeps the endpoint, and resets what is omitted', async () => {
    const both = { pgSettings: { work_mem: '8MB', application_name: 'shop' }, suspendTimeoutSeconds: 600 };
    const { old, held, heldIds, replace } = await startReplica(both);
    const { next, shown } = await replace(old, { pgSettings: { work_mem: '8MB' } }, 'forced');
    expect([next.id, ...heldIds()]).toEqual([old.id, old.id]);
    expect(shown).toContain(`endpoint ${old.id} was not deleted`);
    const [kept] = held();
    expect(kept).toMatchObject({ suspend_timeout_seconds: 0 });
    expect(kept?.settings.pg_settings).not.toHaveProperty('application_name');
  });

  it('a preview of a replaced branch says that its endpoint may move', async () => {
    const { startRun, project, branch } = await startEngineRuns();
    const projectId = project.id;
    const old = await startRun().create('branch', 'b', { projectId }, beforeDelete);
    const endpoint = { projectId, branchId: old.id, type: 'read_write' };
    await startRun().create('endpoint', 'api', endpoint);
    const run = startRun();
    await run.preview(old, { projectId, parentId: branch.id, allowDataLoss: true });
    expect(run.shown.join()).toMatch(
      /with its endpoints, unless they move to the new one: .*\n.* with it, unless they move to the new one: ep-/,
    );
  });

  it('a forced replacement also keeps an endpoint that has replaced another', async () => {
    const { old, heldIds, replace } = await startReplica();
    const { next: state } = await replace(old, {}, 'declared');
    const { next } = await replace(state, {}, 'forced');
    expect([next.id, ...heldIds()]).toEqual([state.id, state.id]);
  });
});

it('an endpoint that is twice in state survives if the next create fails', async () => {
  const { old, heldIds, startRun, declared, emulator } = await startReplica();
  const fault = emulator.inject({
    match: { method: 'GET', path: '/projects/:p/endpoints' },
    times: 'always',
    effect: { kind: 'status', status: 403 },
  });
  const run = startRun();
  const create = run.create('endpoint', 'api', declared, beforeDelete);
  expect((await errorOf(create)).message).toContain('403 Forbidden');
  fault.clear();
  // With --continue-on-error the engine goes on to the copy that is to be deleted.
  expect((await errorOf(run.delete(old))).message).toContain('its replacement is not complete');
  expect(heldIds()).toEqual([old.id]);
});

it('an old branch survives until an update completes its replacement', async () => {
  const { one, startRun, emulator, projectId, feature, isThere } = await startBranchProgram();
  const inputs = { projectId, name: 'new', parentId: feature, allowDataLoss: true };
  const created = await startRun().create('branch', 'one', inputs);
  const later = { ...inputs, name: 'later' };
  const run = startRun();
  const fault = emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 403 } });
  await errorOf(run.update(created, later));
  // With --continue-on-error the engine goes on to the old entry, which an earlier run left to be deleted.
  expect((await errorOf(run.delete(one))).message).toContain('its replacement is not complete');
  expect(isThere(one.id)).toBe(true);
  fault.clear();
  await run.update(created, later);
  await run.delete(one);
  expect(isThere(one.id)).toBe(false);
});

it('an old branch survives until a database that was on it is replaced', async () => {
  const { one, startRun, emulator, projectId, feature } = await startBranchProgram();
  const inputs = { projectId, branchId: one.id, name: 'shop', ownerName: 'app_owner', allowDataLoss: true };
  const options = { createsBeforeDelete: true };
  const shop = await startRun().create('database', 'shop', inputs, options);
  const moved = { ...inputs, branchId: feature };
  const run = startRun();
  await run.preview(shop, moved);
  const fault = emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 403 } });
  await errorOf(run.create('database', 'shop', moved, options));
  fault.clear();
  // With --continue-on-error the engine goes on to the old branch, which an earlier run left to be deleted.
  expect((await errorOf(run.delete(one))).message).toContain('its replacement is not complete');
  await run.create('database', 'shop', moved, options);
  await run.delete(one);
});

it('allowRestart: false stops no early question about a pending change', async () => {
  const { startRun, old } = await startReplica({ allowRestart: false });
  const pending = { ...old, outputs: { ...old.outputs, __ledger: { due: ['autoscalingLimitMaxCu'] } } };
  const asked = startRun().replaceEarly(pending, { suspendTimeoutSeconds: unknownValue });
  expect(await asked).toMatchObject({ hasChanges: true, replaces: [] });
});

it('a late list that shows a deleted role does not stop its new create', async () => {
  const { startRun, emulator, project, branch, request } = await startEngineRuns();
  const declared = { projectId: project.id, branchId: branch.id, name: 'app', adopt: true };
  const role = await startRun().create('role', 'r', declared);
  const path = `/projects/${project.id}/branches/${branch.id}/roles`;
  const { body } = Object(await request('GET', path));
  const run = startRun();
  await run.check('role', 'r', declared);
  await run.delete(role);
  const effect = { kind: 'proxy-page', status: 200, contentType: 'application/json', body } as const;
  const late = emulator.inject({ match: { method: 'GET', path }, times: 'always', effect });
  const release = emulator.lockProject(project.id);
  const created = run.create('role', 'r', declared);
  // Of the check, before the create, and after a wait for the lock.
  await until(() => late.hits === 3);
  late.clear();
  release();
  await created;
  expect(await request('GET', `${path}/app`)).toMatchObject({ status: 200 });
});
