import type { RequestEffect } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runUp } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';

silenceDiagnostics();

const branches = '/projects/:project/branches';
const creation = { method: 'POST', path: branches };
const change = { method: 'PATCH', path: `${branches}/:branch` };
const deletion = { method: 'DELETE', path: `${branches}/:branch` };

describe.each(doors)('a Branch by %s', (_name, door) => {
  it('is created from its parent, awaited, and has its outputs', async () => {
    const { up, preview, refresh, held, feature, emulator } = await startBranchDoor(door);
    const args = { name: 'preview/pr-12', parentId: feature.id, protected: true };
    const state = await up(args);
    expect(held()).toMatchObject([
      { id: state.id, name: args.name, parent_id: feature.id, protected: true, current_state: 'ready' },
    ]);
    const { created_at: createdAt } = held()[0] ?? {};
    expect(state.outputs).toMatchObject({ name: args.name, parentId: feature.id, createdAt });
    expect(emulator.endpoints().filter(({ branch_id }) => branch_id === state.id)).toEqual([]);
    expect(await preview(args, state)).toMatchObject({ hasChanges: false });
    expect(await refresh(state)).toMatchObject({ hasChanges: false });
  });

  it('is of the default branch under a derived name by default', async () => {
    const { up, held, main } = await startBranchDoor(door);
    await up();
    const name = expect.stringMatching(/^shop-test-api-[0-9a-f]{8}$/);
    expect(held()).toMatchObject([{ parent_id: main.id, name }]);
  });

  it.each<[string, RequestEffect]>([
    ['lost before the work', { kind: 'lost-before-work' }],
    ['lost after the work', { kind: 'lost-after-work' }],
  ])('is created, renamed and deleted once although each response is %s', async (_how, effect) => {
    const { up, destroy, held, emulator } = await startBranchDoor(door, { lateListsMs: 100 });
    for (const match of [creation, deletion]) emulator.inject({ match, effect });
    const state = await up({ name: 'pr-12' });
    expect(held()).toMatchObject([{ id: state.id, name: 'pr-12', current_state: 'ready' }]);
    emulator.inject({ match: change, effect });
    const renamed = await up({ name: 'pr-13' }, state);
    expect(held()).toMatchObject([{ id: state.id, name: 'pr-13' }]);
    await destroy(renamed);
    expect(held()).toEqual([]);
  });

  it('is not taken for deleted when a proxy answers with 404', async () => {
    const { up, destroy, held, emulator } = await startBranchDoor(door);
    const state = await up();
    emulator.inject({ match: deletion, effect: { kind: 'proxy-page', status: 404 } });
    await destroy(state);
    expect(held()).toEqual([]);
  });

  it('leaves a finished branch of its derived name alone', async () => {
    const { up, held } = await startBranchDoor(door);
    const { id } = await up();
    expect((await callErrorOf(up())).message).toContain(`already has a branch of that name, ${id}`);
    expect(held()).toMatchObject([{ id }]);
  });

  it('keeps its id in state at a timeout, and the next up resumes', async () => {
    const { up, held, emulator, writes } = await startBranchDoor(door);
    const match = { action: 'create_branch' };
    const hanging = emulator.inject({ match, effect: { kind: 'operation-hangs' } });
    const failure = await callErrorOf(up({ name: 'pr-12' }, undefined, 0.3));
    expect(failure.message).toMatch(
      /^create of branch br-\S+: still waiting for create_branch .* kept in state/,
    );
    expect(failure.state).toMatchObject({
      id: held()[0]?.id,
      outputs: { unsettledOperations: [{ action: 'create_branch', status: 'running' }] },
    });
    hanging.clear();
    const { outputs } = await up({ name: 'pr-12' }, failure.state);
    expect(outputs).not.toHaveProperty('unsettledOperations');
    expect(held()).toMatchObject([{ name: 'pr-12', current_state: 'ready' }]);
    expect(writes().map(({ method }) => method)).toEqual(['POST', 'PATCH']);
  });

  it('is renamed, protected and unprotected in place', async () => {
    const { up, held, writes } = await startBranchDoor(door);
    const state = await up();
    const renamed = await up({ name: 'pr-13', protected: true }, state);
    expect(held()).toMatchObject([{ id: state.id, name: 'pr-13', protected: true }]);
    await up({ name: 'pr-13' }, renamed);
    expect(held()).toMatchObject([{ name: 'pr-13', protected: false }]);
    expect(writes().map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH', 'PATCH']);
  });

  it.each([
    ['parentId', (parentId: string) => ({ parentId })],
    ['parentTimestamp', () => ({ parentTimestamp: '2026-01-31T08:00:00Z' })],
    ['parentLsn', () => ({ parentLsn: '0/1E88DF8' })],
  ])('is not replaced by a change of %s without allowDataLoss', async (name, toArgs) => {
    const { up, preview, refresh, held, feature, writes } = await startBranchDoor(door);
    const state = await up();
    const args = toArgs(feature.id);
    const { message } = await callErrorOf(preview(args, state));
    expect(message).toContain(
      `deletes the data of branch ${state.id}, with its endpoints: a change of ${name}`,
    );
    expect(message).toContain('allowDataLoss is not true');
    expect(writes()).toHaveLength(2);
    const allowed = { ...args, allowDataLoss: true };
    const replaced = await up(allowed, state);
    expect(held()).toMatchObject([{ id: replaced.id }]);
    expect(replaced.id).not.toBe(state.id);
    expect(await preview(allowed, replaced)).toMatchObject({ hasChanges: false });
    expect(await refresh(replaced)).toMatchObject({ hasChanges: false });
  });

  it('drifts if others change it, and the next up restores it', async () => {
    const { up, refresh, held, emulator, project } = await startBranchDoor(door);
    const inHours = (hours: number) =>
      new Date(Date.now() + hours * 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
    const args = { name: 'pr-12', expiresAt: inHours(1) };
    const state = await up(args);
    emulator.changeBranch(project.id, state.id, { name: 'other', expires_at: inHours(2) });
    const refreshed = await refresh(state);
    expect(refreshed.hasChanges).toBe(true);
    await up(args, refreshed.state);
    expect(held()).toMatchObject([{ name: args.name, expires_at: args.expiresAt }]);
  });

  it('adopts a branch of its name only with adopt, of its own parent', async () => {
    const { up, held, emulator, project, feature } = await startBranchDoor(door);
    const { id } = emulator.createBranch(project.id, { name: 'staging' });
    const refused = await callErrorOf(up({ name: 'staging' }));
    expect(refused.message).toContain(`already has a branch of that name, ${id}`);
    expect(refused.message).toContain('To take it over, set adopt: true');
    const other = up({ name: 'staging', adopt: true, parentId: feature.id });
    expect((await callErrorOf(other)).message).toContain('It has another parentId');
    const adopted = await up({ name: 'staging', adopt: true, protected: true });
    expect(held()).toMatchObject([{ id: adopted.id, protected: true }]);
    expect(adopted.id).toBe(id);
  });

  it('is deleted with its endpoint; both then count as deleted', async () => {
    const { up, destroy, refresh, startEndpointRun, held, project, emulator } = await startBranchDoor(door);
    const state = await up();
    const args = { projectId: project.id, branchId: state.id, type: 'read_write' } as const;
    const endpoint = await runUp(await startEndpointRun(), { args });
    await destroy(state);
    expect(held()).toEqual([]);
    expect(emulator.endpoints().filter(({ branch_id }) => branch_id === state.id)).toEqual([]);
    await (await startEndpointRun()).delete(endpoint);
    await destroy(state);
    expect(await refresh(state)).toEqual({ state: undefined, hasChanges: true });
  });

  it.each([0, 300])('is one branch for two creates at once and lists late by %d ms', async (lateListsMs) => {
    const { up, held } = await startBranchDoor(door, { lateListsMs, operationMs: 100 });
    const outcomes = await Promise.allSettled([up(), up()]);
    expect(outcomes.map(({ status }) => status)).toContain('fulfilled');
    for (const outcome of outcomes)
      if (outcome.status === 'fulfilled') expect(held()).toMatchObject([{ id: outcome.value.id }]);
      // The service refuses the name; once the branch of the other has its final name, it could be another stack's.
      else expect(outcome.reason.message).toMatch(/already has a branch of that name|branch already exists/);
  });

  it('shows no secret name in any failure, and gets it in the end', async () => {
    const { startRun, declare, held, destroy, emulator, project } = await startBranchDoor(door);
    const secretly = (args: object = {}) => ({
      ...declare({ name: 'hunter22', ...args }),
      secrets: ['name'],
    });
    const other = emulator.createBranch(project.id, { name: 'hunter22' });
    const up = async (args?: object, before?: Parameters<typeof runUp>[2]) =>
      runUp(await startRun(), secretly(args), before);
    const texts: string[] = [];
    const note = async (work: Promise<unknown>) => texts.push((await callErrorOf(work)).message);
    await note(up());
    await note(up({ adopt: true, parentTimestamp: '2026-01-31T08:00:00Z' }));
    emulator.changeBranch(project.id, other.id, { name: 'other' });
    const refused = { kind: 'status', status: 409, message: 'branch hunter22 exists' } as const;
    const fault = emulator.inject({ match: change, effect: refused, times: 'always' });
    const state = await failedState(up());
    await note(up({}, state));
    fault.clear();
    const done = await up({}, state);
    expect(held()).toContainEqual(expect.objectContaining({ id: state.id, name: 'hunter22' }));
    emulator.inject({ match: deletion, effect: { ...refused, status: 422 } });
    await note(destroy(done));
    await note(up({ parentLsn: '0/1' }, done));
    expect(texts).toHaveLength(5);
    for (const text of texts) expect(text).not.toContain('hunter22');
  });
});
