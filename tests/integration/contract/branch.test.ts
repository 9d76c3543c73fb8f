import { describe, expect, it } from 'vitest';
import type { BranchInputs } from '../../../provider/src/branch/branch-inputs';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runRefresh, runUp } from '../../support/door';
import { startBranchDoor } from '../../support/start-branch-door';
import { doors } from '../../support/start-door';
import { until } from '../../support/virtual-world';

silenceDiagnostics();

const toBranches = { method: 'POST', path: '/projects/:project/branches' };
const toBranch = { method: 'PATCH', path: '/projects/:project/branches/:branch' };

describe.each(doors)('a Branch by %s', (_name, door) => {
  it('is created from its parent, awaited, and has its outputs', async () => {
    const { startRun, declare, held, feature, emulator } = await startBranchDoor(door);
    const program = declare({ name: 'preview/pr-12', parentId: feature.id, protected: true });
    const { id, outputs } = await runUp(await startRun(), program);
    expect(held()).toMatchObject([
      { id, name: 'preview/pr-12', parent_id: feature.id, protected: true, current_state: 'ready' },
    ]);
    expect(outputs).toMatchObject({
      name: 'preview/pr-12',
      parentId: feature.id,
      createdAt: held()[0]?.created_at,
    });
    expect(emulator.endpoints().filter(({ branch_id }) => branch_id === id)).toEqual([]);
    const state = { id, outputs, declared: { inputs: program.args } };
    expect(await runPreview(await startRun(), program, state)).toMatchObject({ hasChanges: false });
    expect(await runRefresh(await startRun(), state)).toMatchObject({ hasChanges: false });
  });

  it('is of the default branch under a derived name by default', async () => {
    const { startRun, declare, held, project, emulator } = await startBranchDoor(door);
    await runUp(await startRun(), declare());
    const [main] = emulator.branches(project.id).filter((branch) => branch.default);
    expect(held()).toMatchObject([
      { parent_id: main?.id, name: expect.stringMatching(/^shop-test-api-[0-9a-f]{8}$/) },
    ]);
  });

  it.each([
    ['is lost before the work', { kind: 'lost-before-work' }],
    ['is lost after the work', { kind: 'lost-after-work' }],
    ['is a 502 after the work', { kind: 'status', status: 502, when: 'after-work' }],
    ['is truncated', { kind: 'malformed' }],
  ] as const)('is created once when the response %s', async (_case, effect) => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door, { lateListsMs: 100 });
    const fault = emulator.inject({ match: toBranches, effect });
    const { id } = await runUp(await startRun(), declare({ name: 'pr-12' }));
    expect(held()).toMatchObject([{ id, name: 'pr-12', current_state: 'ready' }]);
    expect(fault.hits).toBe(1);
  });

  it('is taken over by the next create after a killed one', async () => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door, { operationMs: 400 });
    const killed = runUp(await startRun(), declare({ name: 'pr-12' })).catch(() => undefined);
    await until(() => held().length === 1);
    const { id } = await runUp(await startRun(), declare({ name: 'pr-12' }));
    await killed;
    expect(held()).toMatchObject([{ id, name: 'pr-12', current_state: 'ready' }]);
    expect(emulator.requests().filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('leaves a finished branch of its derived name alone', async () => {
    const { startRun, declare, held } = await startBranchDoor(door);
    const { id } = await runUp(await startRun(), declare());
    const { message } = await callErrorOf(runUp(await startRun(), declare()));
    expect(message).toContain(`already has a branch of that name, ${id}`);
    expect(held()).toMatchObject([{ id }]);
  });

  it('keeps its id in state at a timeout, and the next up resumes', async () => {
    const { startRun, declare, held, emulator, writes } = await startBranchDoor(door);
    const hanging = emulator.inject({
      match: { action: 'create_branch' },
      effect: { kind: 'operation-hangs' },
    });
    const failure = await callErrorOf(runUp(await startRun(), declare({ name: 'pr-12' }, 0.3)));
    expect(failure.message).toMatch(
      /^create of branch br-\S+: still waiting for create_branch .* kept in state/,
    );
    expect(failure.state).toMatchObject({
      id: held()[0]?.id,
      outputs: { unsettledOperations: [{ action: 'create_branch', status: 'running' }] },
    });
    hanging.clear();
    const { outputs } = await runUp(await startRun(), declare({ name: 'pr-12' }), failure.state);
    expect(outputs).not.toHaveProperty('unsettledOperations');
    expect(held()).toMatchObject([{ name: 'pr-12', current_state: 'ready' }]);
    expect(writes().map(({ method }) => method)).toEqual(['POST', 'PATCH']);
  });

  it('is replaced by the next up when its creation has failed', async () => {
    const { startRun, declare, held, emulator } = await startBranchDoor(door);
    const error = 'no space';
    emulator.inject({ match: { action: 'create_branch' }, effect: { kind: 'operation-fails', error } });
    const state = await failedState(runUp(await startRun(), declare()));
    expect(await runPreview(await startRun(), declare(), state)).toMatchObject({
      replaces: ['unsettledOperations'],
    });
    const { id } = await runUp(await startRun(), declare(), state);
    expect(id).not.toBe(state.id);
    expect(held()).toMatchObject([{ id, current_state: 'ready' }]);
  });

  it('is renamed, protected and unprotected in place', async () => {
    const { startRun, declare, held, writes } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    const renamed = await runUp(await startRun(), declare({ name: 'pr-13', protected: true }), state);
    expect(held()).toMatchObject([{ id: state.id, name: 'pr-13', protected: true }]);
    await runUp(await startRun(), declare({ name: 'pr-13' }), renamed);
    expect(held()).toMatchObject([{ name: 'pr-13', protected: false }]);
    expect(writes().map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH', 'PATCH']);
  });

  it('is renamed when the response is lost', async () => {
    const { startRun, declare, held, emulator, writes } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.inject({ match: toBranch, effect: { kind: 'lost-after-work' } });
    await runUp(await startRun(), declare({ name: 'pr-13' }), state);
    expect(held()).toMatchObject([{ name: 'pr-13' }]);
    // The last one changes nothing more.
    expect(writes().map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH', 'PATCH']);
  });

  it('is renamed back when the request is lost and reads are stale', async () => {
    const { startRun, declare, held, emulator, project } = await startBranchDoor(door, {
      lateListsMs: 300,
      lateGetsMs: 300,
    });
    const state = await runUp(await startRun(), declare({ name: 'pr-12' }));
    const renamed = { ...state, outputs: { ...state.outputs, name: 'pr-13' } };
    await new Promise((resolve) => setTimeout(resolve, 400));
    emulator.changeBranch(project.id, state.id, { name: 'pr-13' });
    emulator.inject({ match: toBranch, effect: { kind: 'lost-before-work' } });
    await runUp(await startRun(), declare({ name: 'pr-12' }), renamed);
    expect(held()).toMatchObject([{ name: 'pr-12' }]);
  });

  it.each([
    ['parentId', (id: string): Partial<BranchInputs> => ({ parentId: id })],
    ['parentTimestamp', (): Partial<BranchInputs> => ({ parentTimestamp: '2026-01-31T08:00:00Z' })],
    ['parentLsn', (): Partial<BranchInputs> => ({ parentLsn: '0/1E88DF8' })],
  ])('is not replaced by a change of %s without allowDataLoss', async (name, change) => {
    const { startRun, declare, held, feature, writes } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    const program = declare(change(feature.id));
    const { message } = await callErrorOf(runPreview(await startRun(), program, state));
    expect(message).toContain(
      `deletes the data of branch ${state.id}, with its endpoints: a change of ${name}`,
    );
    expect(message).toContain('allowDataLoss is not true');
    expect(writes()).toHaveLength(2);
    const allowed = declare({ ...change(feature.id), allowDataLoss: true });
    const replaced = await runUp(await startRun(), allowed, state);
    expect(held()).toMatchObject([{ id: replaced.id }]);
    expect(replaced.id).not.toBe(state.id);
    expect(await runPreview(await startRun(), allowed, replaced)).toMatchObject({ hasChanges: false });
    expect(await runRefresh(await startRun(), replaced)).toMatchObject({ hasChanges: false });
  });

  it('is not replaced for another spelling of its point, or none', async () => {
    const { startRun, declare } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare({ parentTimestamp: '2026-01-31T08:00:00Z' }));
    const other = declare({ parentTimestamp: '2026-01-31T09:00:00.000+01:00' });
    expect(await runPreview(await startRun(), other, state)).toMatchObject({ hasChanges: false });
    expect(await runPreview(await startRun(), declare(), state)).toMatchObject({ hasChanges: false });
  });

  it('shows the drift of its name in a refresh, and the next up restores it', async () => {
    const { startRun, declare, held, emulator, project } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare({ name: 'pr-12' }));
    emulator.changeBranch(project.id, state.id, { name: 'other' });
    const refreshed = await runRefresh(await startRun(), state);
    expect(refreshed.hasChanges).toBe(true);
    await runUp(await startRun(), declare({ name: 'pr-12' }), refreshed.state);
    expect(held()).toMatchObject([{ name: 'pr-12' }]);
  });

  it('adopts a branch of its name only with adopt, of its own parent', async () => {
    const { startRun, declare, held, emulator, project, feature } = await startBranchDoor(door);
    const { id } = emulator.createBranch(project.id, { name: 'staging' });
    const refused = await callErrorOf(runUp(await startRun(), declare({ name: 'staging' })));
    expect(refused.message).toContain(`already has a branch of that name, ${id}`);
    expect(refused.message).toContain('To take it over, set adopt: true');
    const other = declare({ name: 'staging', adopt: true, parentId: feature.id });
    expect((await callErrorOf(runUp(await startRun(), other))).message).toContain('It has another parentId');
    const adopted = await runUp(await startRun(), declare({ name: 'staging', adopt: true, protected: true }));
    expect(held()).toMatchObject([{ id: adopted.id, protected: true }]);
    expect(adopted.id).toBe(id);
  });

  it('is deleted with its endpoints; one that is gone counts as deleted', async () => {
    const { startRun, declare, held, emulator, project } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.createEndpoint(project.id, { branch_id: state.id, type: 'read_write' });
    await (await startRun()).delete(state);
    expect(held()).toEqual([]);
    expect(emulator.endpoints().filter(({ branch_id }) => branch_id === state.id)).toEqual([]);
    await (await startRun()).delete(state);
    expect(await runRefresh(await startRun(), state)).toEqual({ state: undefined, hasChanges: true });
  });

  it('takes its endpoint with it, whose own delete then counts as done', async () => {
    const { startRun, startEndpointRun, declare, held, project, emulator } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    const args = { projectId: project.id, branchId: state.id, type: 'read_write' } as const;
    const endpoint = await runUp(await startEndpointRun(), { args });
    await (await startRun()).delete(state);
    await (await startEndpointRun()).delete(endpoint);
    expect([held(), emulator.endpoints().map(({ id }) => id)]).toEqual([
      [],
      expect.not.arrayContaining([endpoint.id]),
    ]);
  });

  it('is not deleted while it has children, which the error names', async () => {
    const { startRun, declare, held, emulator, project } = await startBranchDoor(door);
    const state = await runUp(await startRun(), declare());
    const child = emulator.createBranch(project.id, { name: 'child', parentId: state.id });
    const { message } = await callErrorOf((await startRun()).delete(state));
    expect(message).toContain(
      `delete of branch ${state.id}: other branches were created from it: ${child.id}. Nothing was deleted. Delete them first.`,
    );
    expect(held()).toHaveLength(2);
  });

  it.each([
    [{ projectId: 'A' }, 'projectId must be the id of a project'],
    [{ parentTimestamp: 'yesterday' }, 'parentTimestamp must be a point in time with a time zone'],
    [{ parentTimestamp: '2026-01-31T08:00:00' }, 'parentTimestamp must be a point in time with a time zone'],
    [{ parentLsn: '12' }, 'parentLsn must be a position in the log'],
    [
      { parentLsn: '0/1', parentTimestamp: '2026-01-31T08:00:00Z' },
      'must not be given together with parentLsn',
    ],
    [{ adopt: true }, 'name is required with adopt'],
    [{ name: '' }, 'name must be 1 to 256 characters'],
    [{ branchId: 'br-1' }, 'branchId is not an argument of a Branch; those are projectId, name, parentId'],
  ])('refuses %j before any request', async (args, reason) => {
    const { startRun, declare, emulator } = await startBranchDoor(door);
    const { message } = await callErrorOf(runUp(await startRun(), declare(args as Partial<BranchInputs>)));
    expect(message).toContain(reason);
    expect(emulator.requests()).toEqual([]);
  });
});
