import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import type { NamedAttributes } from '../../../provider/src/control-api/wire-types';
import { unknownValue } from '../../../provider/src/lifecycle/input-values';
import { collectDiagnostics } from '../../support/diagnostics';
import { callErrorOf, runReplacement } from '../../support/door';
import { doors } from '../../support/start-door';
import { startNamedDoor } from '../../support/start-named-door';

const shown = collectDiagnostics();

const all = '/projects/:project/branches/:branch/databases';
const creation = { method: 'POST', path: all };
const change = { method: 'PATCH', path: `${all}/:database` };
const deletion = { method: 'DELETE', path: `${all}/:database` };
const config = { action: 'apply_config' };
const other = { ownerName: 'other' };
const renamed = { name: 'new' };

describe.each(doors)('a Database by %s', (_name, door) => {
  async function startDatabase() {
    const ground = await startNamedDoor(door, 'database', { name: 'shop', ownerName: 'app_owner' });
    const { api, at, emulator, project, branch } = ground;
    emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_write' });
    await api.createNamed('role', at, { name: 'other' });
    await sleep(1_000);
    const path = { ...at, name: 'shop' };
    return {
      ...ground,
      owner: async (name = 'shop') => (await api.getNamed('database', { ...at, name })).owner_name,
      changeByOthers: async (attributes: NamedAttributes) => {
        await api.updateNamed('database', path, attributes);
        await sleep(1_000);
      },
    };
  }

  it('is created, changes its owner in place, does not drift, and is deleted', async () => {
    const { up, preview, refresh, destroy, owner, names, at, writes } = await startDatabase();
    const state = await up({});
    expect(state).toMatchObject({
      id: `${at.projectId}/${at.branchId}/shop`,
      outputs: { ownerName: 'app_owner', createdAt: expect.any(String) },
    });
    expect(await preview({}, state)).toMatchObject({ hasChanges: false });
    expect(await preview(other, state)).toMatchObject({ hasChanges: true, replaces: [] });
    const after = await up(other, state);
    expect([await owner(), after.outputs.ownerName, writes().at(-1)?.method]).toEqual([
      'other',
      'other',
      'PATCH',
    ]);
    expect(await refresh(after)).toMatchObject({ hasChanges: false });
    await destroy(after);
    expect(await names()).not.toContain('shop');
  });

  it('that others have changed drifts, and gets its owner and name back', async () => {
    const { up, refresh, changeByOthers, owner } = await startDatabase();
    const state = await up({});
    await changeByOthers({ owner_name: 'other', name: 'moved' });
    const { state: found, hasChanges } = await refresh(state);
    expect(hasChanges).toBe(true);
    expect(found?.outputs).toMatchObject({ ownerName: 'other', name: 'moved' });
    await up({}, found);
    expect(await owner()).toBe('app_owner');
  });

  it('that others have renamed is changed and deleted, not what has its name', async () => {
    const { up, destroy, changeByOthers, names, owner, api, at, emulator } = await startDatabase();
    const state = await up({});
    await changeByOthers({ name: 'moved' });
    await api.createNamed('database', at, { name: 'shop', owner_name: 'app_owner' });
    await sleep(1_000);
    const { outputs } = await up({ ...other, ...renamed }, state);
    expect([outputs.name, await owner('new'), await owner()]).toEqual(['new', 'other', 'app_owner']);
    const locked = emulator.inject({
      match: deletion,
      effect: { kind: 'status', status: 423 },
      times: 'always',
    });
    const destroyed = destroy(state);
    await sleep(500);
    await api.updateNamed('database', { ...at, name: 'new' }, { name: 'newer' });
    locked.clear();
    await destroyed;
    expect(await names()).toEqual(expect.arrayContaining(['shop']));
    expect(await names()).not.toContain('newer');
  });

  it.each<[string, RequestEffect]>([
    ['lost before the work', { kind: 'lost-before-work' }],
    ['lost after the work', { kind: 'lost-after-work' }],
    ['the 409 of a proxy', { kind: 'proxy-page', status: 409, when: 'after-work' }],
    ['the 422 of a proxy', { kind: 'proxy-page', status: 422 }],
  ])('is created, changed and deleted once although each response is %s', async (_how, effect) => {
    const { up, destroy, owner, names, emulator } = await startDatabase();
    for (const match of [creation, change, deletion]) emulator.inject({ match, effect });
    const state = await up({ ...other, ...renamed }, await up({}));
    expect(await names()).not.toContain('shop');
    expect([await owner('new'), state.outputs.ownerName]).toEqual(['other', 'other']);
    await destroy(state);
    expect(await names()).not.toContain('new');
  });

  it('is applied again where the create whose response was lost has failed', async () => {
    const { up, emulator, writes } = await startDatabase();
    emulator.inject({ match: creation, effect: { kind: 'lost-after-work' } });
    emulator.inject({ match: config, effect: { kind: 'operation-fails', status: 'failed' } });
    expect((await up({})).outputs).not.toHaveProperty('unsettledOperations');
    expect(writes().at(-1)?.method).toBe('PATCH');
  });

  it('of a killed create or of the parent is taken over with adopt: true', async () => {
    const { up, owner } = await startDatabase();
    const killed = await up({}); // Its state is lost.
    const { message } = await callErrorOf(up(other));
    expect(message).toContain('To take it over, set adopt: true (also if the branch has it from its parent');
    expect((await up({ ...other, adopt: true })).id).toBe(killed.id);
    expect(shown.join('')).toMatch(/adopt takes over database \S+ \(created .*\) and changes its ownerName/);
    expect(await owner()).toBe('other');
  });

  it('stays the same under another name, also after a killed rename', async () => {
    const { up, preview, refresh, api, at } = await startDatabase();
    const state = await up({});
    const { id } = await api.getNamed('database', { ...at, name: 'shop' });
    expect(await preview(renamed, state)).toMatchObject({ hasChanges: true, replaces: [] });
    expect(shown.join('')).toContain('drops the connections to it: a change of name');
    await up(renamed, state); // Its state is lost.
    const after = await up(renamed, state);
    expect(after).toMatchObject({ id: state.id, outputs: { name: 'new' } });
    expect(await api.getNamed('database', { ...at, name: 'new' })).toMatchObject({ id });
    expect(await refresh(after)).toMatchObject({ hasChanges: false });
  });

  it('moves to another branch only with allowDataLoss: true', async () => {
    const { up, preview, names, emulator, project } = await startDatabase();
    const state = await up({});
    await preview({ branchId: unknownValue }, state);
    expect(shown.join('')).toContain('unless the value stays the same. If it changes, `pulumi up` fails');
    const branchId = emulator.createBranch(project.id, { name: 'elsewhere' }).id;
    const { message } = await callErrorOf(preview({ branchId }, state));
    expect(message).toMatch(
      /^allowDataLoss is not true, and this deletes database \S+ with its data: a change of branchId. Nothing was changed/,
    );
    await up({ branchId, allowDataLoss: true }, state);
    expect(shown.join('')).toMatch(/deletes database \S+ with its data: a change of branchId/);
    expect(await names()).not.toContain('shop');
  });

  it('survives a forced replacement without allowDataLoss: true', async () => {
    const { up, names, startRun, declare } = await startDatabase();
    const state = await up({});
    const { message } = await callErrorOf(runReplacement(await startRun(), declare({ adopt: true }), state));
    expect(message).toContain('allowDataLoss is not true. It was not deleted.');
    expect(shown.join('')).not.toContain('--replace');
    expect(await names()).toContain('shop');
    const allowed = { adopt: true, allowDataLoss: true };
    await runReplacement(await startRun(), declare(allowed), state);
    expect(shown.join('')).toContain(
      '--replace or taint, `pulumi up` first deletes that database, with its data',
    );
  });
});
