import type { EmulatorOptions } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { actionsOf, startService } from '../support/service-client';

/** A project with a branch `dev`, which has an active endpoint. */
async function startWithBranches(options: EmulatorOptions = {}) {
  const service = await startService(options);
  const { emulator, project, branch: other, call } = service;
  const dev = emulator.createBranch(project.id, { name: 'dev' });
  const endpointId = await service.createActive({ branch_id: dev.id });
  const path = `/projects/${project.id}/branches`;
  const held = (id: string) => emulator.branches(project.id).find((branch) => branch.id === id);
  const named = (name: string) => emulator.branches(project.id).find((branch) => branch.name === name);
  const mainId = dev.parent_id ?? '';
  const restore = (id: string, body: object) => call('POST', `${path}/${id}/restore`, body);
  return { ...service, other, dev, endpointId, path, held, named, mainId, restore };
}

describe('POST /restore', () => {
  it('resets a branch to its parent: id and endpoint stay, connections drop', async () => {
    const { emulator, dev, endpointId, mainId, held, restore, settled } = await startWithBranches();
    const response = await restore(dev.id, { source_branch_id: mainId });
    expect(response.body?.branch).toMatchObject({
      id: dev.id,
      name: 'dev',
      parent_id: mainId,
      current_state: 'resetting',
      pending_state: 'ready',
      last_reset_at: expect.stringMatching(/Z$/),
    });
    expect(actionsOf(response)).toEqual(['suspend_compute', 'create_branch', 'start_compute']);
    await settled();
    expect(held(dev.id)).toMatchObject({ current_state: 'ready' });
    expect(emulator.endpoints().find(({ id }) => id === endpointId)?.current_state).toBe('active');
    expect(emulator.connectionDrops(endpointId)).toBe(1);
  });

  it('keeps the previous state under a name, as the parent of the branch', async () => {
    const { emulator, project, dev, endpointId, mainId, held, named, restore, settled } =
      await startWithBranches();
    const child = emulator.createBranch(project.id, { parentId: dev.id });
    const source = { source_branch_id: mainId, preserve_under_name: 'before' };
    expect(actionsOf(await restore(dev.id, source))).toContain('create_branch');
    await settled();
    const kept = named('before');
    expect(kept).toMatchObject({ parent_id: mainId, current_state: 'ready', default: false });
    expect([held(dev.id)?.parent_id, held(child.id)?.parent_id]).toEqual([kept?.id, kept?.id]);
    expect(emulator.endpoints().find(({ id }) => id === endpointId)?.branch_id).toBe(dev.id);
  });

  it('shows the point in time of the last restore only', async () => {
    const { dev, mainId, held, restore, settled } = await startWithBranches();
    for (const point of [{ source_timestamp: '2026-01-31T08:00:00.000Z' }, { source_lsn: '0/1' }, {}]) {
      await restore(dev.id, { source_branch_id: mainId, ...point });
      await settled();
      const { parent_timestamp: source_timestamp, parent_lsn: source_lsn } = held(dev.id) ?? {};
      expect({ source_timestamp, source_lsn }).toEqual(point);
    }
  });

  it('a branch that is being copied is not restored, even without locks', async () => {
    const { emulator, other, dev, mainId, call, path, restore, settled } = await startWithBranches({
      locks: 'none',
    });
    const hanging = emulator.inject({
      match: { action: 'create_branch' },
      effect: { kind: 'operation-hangs' },
    });
    const reset = (more = {}) => restore(dev.id, { source_branch_id: mainId, ...more });
    expect((await restore(other.id, { source_branch_id: dev.id, preserve_under_name: 'a' })).status).toBe(
      200,
    );
    expect((await reset()).status).toBe(423);
    hanging.clear();
    await settled();
    emulator.inject({ match: { action: 'create_branch' }, effect: { kind: 'operation-hangs' } });
    expect((await call('POST', path, { branch: { parent_id: dev.id } })).status).toBe(201);
    expect((await reset({ preserve_under_name: 'b' })).status).toBe(423);
  });

  it('leaves a root branch one, and makes its previous state another', async () => {
    const { mainId, other, held, named, restore, settled } = await startWithBranches();
    await restore(mainId, { source_branch_id: other.id, preserve_under_name: 'before' });
    await settled();
    expect([held(mainId)?.parent_id, named('before')?.parent_id]).toEqual([undefined, undefined]);
    expect(held(mainId)).toMatchObject({ default: true });
    expect(held(other.id)?.parent_id).toBe(named('before')?.id);
  });

  it('brings the roles and databases of the source', async () => {
    const { call, dev, path, mainId, restore, settled } = await startWithBranches();
    await call('POST', `${path}/${dev.id}/roles`, { role: { name: 'gone' } });
    await settled();
    await restore(dev.id, { source_branch_id: mainId });
    await settled();
    const { body } = await call('GET', `${path}/${dev.id}/roles`);
    expect(body?.roles).toMatchObject([{ name: 'app_owner', branch_id: dev.id }]);
    expect((await call('GET', `${path}/${mainId}/roles`)).body?.roles).toMatchObject([{ branch_id: mainId }]);
  });

  it('needs a branch and a source that no other restore is changing (423)', async () => {
    const service = await startWithBranches({ locks: 'none' });
    const { emulator, call, other, dev, path, mainId, restore } = service;
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-hangs' } });
    await restore(dev.id, { source_branch_id: mainId });
    const refused = [
      await restore(dev.id, { source_branch_id: other.id }),
      await restore(other.id, { source_branch_id: dev.id }),
      await call('POST', path, { branch: { parent_id: dev.id } }),
      await call('DELETE', `${path}/${dev.id}`),
      await call('POST', `${path}/${dev.id}/roles`, { role: { name: 'lost' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 423));
    expect((await restore(other.id, { source_branch_id: mainId })).status).toBe(200);
  });

  it('changes only the time if it fails, also with a name to preserve', async () => {
    const { emulator, project, call, dev, endpointId, path, mainId, held, named, restore, settled } =
      await startWithBranches();
    await call('POST', `${path}/${dev.id}/roles`, { role: { name: 'own' } });
    const child = emulator.createBranch(project.id, { parentId: dev.id });
    await settled();
    emulator.inject({ match: { action: 'create_branch' }, effect: { kind: 'operation-fails' } });
    await restore(dev.id, { source_branch_id: mainId, preserve_under_name: 'before' });
    await settled();
    expect(named('before')).toBeUndefined();
    expect(held(dev.id)).toMatchObject({ current_state: 'ready' });
    expect(emulator.endpoints().find(({ id }) => id === endpointId)?.current_state).toBe('idle');
    expect([held(dev.id)?.parent_id, held(child.id)?.parent_id]).toEqual([mainId, dev.id]);
    const { body } = await call('GET', `${path}/${dev.id}/roles`);
    expect(body?.roles).toMatchObject([{ name: 'app_owner' }, { name: 'own' }]);
  });

  it('leaves a branch whose creation has failed without data if it fails', async () => {
    const { emulator, call, path, mainId, held, restore, settled } = await startWithBranches();
    const fails = { match: { action: 'create_branch' }, effect: { kind: 'operation-fails' } } as const;
    emulator.inject({ ...fails, times: 2 });
    const { body } = await call('POST', path, { branch: { parent_id: mainId } });
    const id = body?.branch.id ?? '';
    await settled();
    await restore(id, { source_branch_id: mainId });
    await settled();
    expect(held(id)).toMatchObject({ current_state: 'init' });
    await restore(id, { source_branch_id: mainId });
    await settled();
    expect(held(id)).toMatchObject({ current_state: 'ready' });
  });

  it('leaves a branch whose creation ends before it fails ready', async () => {
    const { emulator, call, path, mainId, held, restore, settled } = await startWithBranches({
      locks: 'none',
    });
    const match = { action: 'create_branch' };
    const creation = emulator.inject({ match, effect: { kind: 'operation-hangs' }, times: 1 });
    const endpoints = [{ type: 'read_write' }];
    const { body } = await call('POST', path, { branch: { parent_id: mainId }, endpoints });
    const id = body?.branch.id ?? '';
    emulator.inject({ match, effect: { kind: 'operation-fails' }, times: 1 });
    // It first stops the compute, which the creation has yet to start.
    const response = await restore(id, { source_branch_id: mainId });
    expect(actionsOf(response)).toEqual(['suspend_compute', 'create_branch', 'start_compute']);
    creation.clear();
    await settled();
    expect(held(id)).toMatchObject({ current_state: 'ready' });
  });
});

describe('a branch with init_source schema-only', () => {
  it('is a root branch, which can be deleted', async () => {
    const { call, path, mainId, settled, held } = await startWithBranches();
    const branch = { name: 'schema', parent_id: mainId, init_source: 'schema-only' };
    const created = await call('POST', path, { branch, endpoints: [{ type: 'read_write' }] });
    const id = created.body?.branch.id ?? '';
    expect(actionsOf(created)).toEqual(['create_branch', 'apply_schema_from_branch', 'start_compute']);
    await settled();
    expect(held(id)).toMatchObject({ init_source: 'schema-only', current_state: 'ready', default: false });
    expect(held(id)?.parent_id).toBeUndefined();
    expect((await call('DELETE', `${path}/${id}`)).status).toBe(200);
    await settled();
    expect(held(id)).toBeUndefined();
  });
});
