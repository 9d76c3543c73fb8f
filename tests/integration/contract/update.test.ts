import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runUp } from '../../support/door';
import { doors, startDoor } from '../../support/start-door';

silenceDiagnostics();

describe.each(doors)('an update by %s', (_name, door) => {
  it('sends only what changed, and restarts the compute once', async () => {
    const { startRun, declare, emulator, writes } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    await runUp(await startRun(), declare({ autoscalingLimitMaxCu: 2 }), state);
    expect(writes().slice(1)).toMatchObject([
      { method: 'PATCH', body: { endpoint: { autoscaling_limit_max_cu: 2 } } },
    ]);
    expect(emulator.restarts(state.id)).toBe(1);
  });

  it('changes settings without a restart', async () => {
    const { startRun, declare, emulator, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const changed = declare({ suspendTimeoutSeconds: 900, pgSettings: { work_mem: '8MB' }, name: 'renamed' });
    const { outputs } = await runUp(await startRun(), changed, state);
    expect(held()).toMatchObject([
      { suspend_timeout_seconds: 900, settings: { pg_settings: { work_mem: '8MB' } }, name: 'renamed' },
    ]);
    expect(outputs).toMatchObject({ suspendTimeoutSeconds: 900, name: 'renamed' });
    expect(emulator.restarts(state.id)).toBe(0);
  });

  it('resets what the program no longer declares', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const given = declare({ suspendTimeoutSeconds: 900, pgSettings: { work_mem: '8MB' } });
    const state = await runUp(await startRun(), given);
    await runUp(await startRun(), declare(), state);
    expect(held()).toMatchObject([{ suspend_timeout_seconds: 0 }]);
    expect(held()).toHaveProperty('0.settings.pg_settings', {});
  });

  it('makes no request for a change of waitForOperations', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const before = emulator.requests().length;
    const { outputs } = await runUp(await startRun(), declare({ waitForOperations: false }), state);
    expect(outputs).toMatchObject({ waitForOperations: false });
    expect(emulator.requests()).toHaveLength(before);
  });

  it('restarts the compute for a change of restartTriggers, and sends no attribute', async () => {
    const { startRun, declare, emulator, writes } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ restartTriggers: { release: '1' } }));
    await runUp(await startRun(), declare({ restartTriggers: { release: '2' } }), state);
    expect(emulator.connectionDrops(state.id)).toBe(1);
    expect(writes().filter(({ method }) => method === 'PATCH')).toEqual([]);
  });

  it.each(['apply_config', 'suspend_compute', 'start_compute'])(
    'keeps a failed %s in state, and the next up retries it',
    async (action) => {
      const { startRun, declare, emulator, held } = await startDoor(door);
      const state = await runUp(await startRun(), declare());
      const larger = declare({ autoscalingLimitMaxCu: 2 });
      emulator.inject({ match: { action }, effect: { kind: 'operation-fails', error: 'no capacity' } });
      const failed = await failedState(runUp(await startRun(), larger, state));
      expect(failed).toMatchObject({
        id: state.id,
        outputs: {
          unsettledOperations: expect.arrayContaining([
            expect.objectContaining({ action, status: 'failed' }),
          ]),
        },
      });
      const settled = await runUp(await startRun(), larger, failed);
      expect(held()).toMatchObject([{ autoscaling_limit_max_cu: 2, current_state: 'active' }]);
      expect(emulator.restarts(state.id)).toBeLessThanOrEqual(1);
      expect(await runPreview(await startRun(), larger, settled)).toMatchObject({ hasChanges: false });
    },
  );

  it('ends at its time-out, and the next up continues to wait without another restart', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const hanging = emulator.inject({
      match: { action: 'apply_config' },
      effect: { kind: 'operation-hangs' },
    });
    const larger = declare({ autoscalingLimitMaxCu: 2 }, { timeoutSeconds: 0.3 });
    const failure = await callErrorOf(runUp(await startRun(), larger, state));
    expect(failure.message).toMatch(/^update of endpoint \S+: still waiting for apply_config .* after \d/);
    hanging.clear();
    const { outputs } = await runUp(await startRun(), declare({ autoscalingLimitMaxCu: 2 }), failure.state);
    expect(outputs).not.toHaveProperty('unsettledOperations');
    expect(emulator.restarts(state.id)).toBe(1);
  });

  it('stops before a restart under allowRestart: false even without a diff before it', async () => {
    const { startRun, declare, emulator, writes } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const before = writes().length;
    const run = await startRun();
    const gated = await run.check(state.declared, declare({ allowRestart: false, autoscalingLimitMaxCu: 2 }));
    expect((await callErrorOf(run.update(state, gated))).message).toMatch(/^allowRestart is false/);
    expect(writes()).toHaveLength(before);
    expect(emulator.restarts(state.id)).toBe(0);
  });

  it('reports an endpoint that no longer exists, and how to create it again', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.deleteEndpoint(state.id);
    const failure = await callErrorOf(runUp(await startRun(), declare({ name: 'renamed' }), state));
    expect(failure.message).toMatch(/no longer exists\. To create it again, run `pulumi up --refresh`/);
  });

  it('replaces the endpoint for a change of type, and keeps the declared name', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ name: 'api' }));
    const replica = await runUp(await startRun(), declare({ name: 'api', type: 'read_only' }), state);
    expect(held()).toMatchObject([{ id: replica.id, name: 'api', type: 'read_only' }]);
    expect(replica.id).not.toBe(state.id);
  });
});

describe.each(doors)('a delete by %s', (_name, door) => {
  it('removes the endpoint, and succeeds again when it no longer exists', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    await (await startRun()).delete(state);
    expect(held()).toEqual([]);
    await expect((await startRun()).delete(state)).resolves.toBeUndefined();
  });

  it('fails when its operation fails, and the next delete removes the endpoint', async () => {
    const { startRun, declare, emulator, held, heldIds } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
    const failure = await callErrorOf((await startRun()).delete(state));
    expect(failure.message).toMatch(/^delete of endpoint \S+: operation suspend_compute \S+ failed/);
    expect(heldIds()).toEqual([state.id]);
    await (await startRun()).delete(state);
    expect(held()).toEqual([]);
  });

  it('does not take the 404 of a proxy for a deleted endpoint', async () => {
    const { startRun, declare, emulator, heldIds } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const fault = emulator.inject({
      match: { method: 'DELETE' },
      times: 'always',
      effect: { kind: 'proxy-page', status: 404 },
    });
    await callErrorOf((await startRun()).delete(state));
    fault.clear();
    expect(heldIds()).toEqual([state.id]);
  });

  it('says what to do if it was accepted for a replacement that is taken back', async () => {
    const { emulator, startRun, declare } = await startDoor(door, { readLagMs: 60 });
    const state = await runUp(await startRun(), declare());
    const polls = { match: { method: 'GET' }, times: 6, effect: { kind: 'status', status: 403 } } as const;
    emulator.inject(polls);
    const { message } = await callErrorOf(runUp(await startRun(), declare({ type: 'read_only' }), state));
    expect(message).toContain('--refresh');
  });

  it('ends at its time-out while the endpoint exists', async () => {
    const { startRun, declare, emulator, heldIds } = await startDoor(door);
    const state = await runUp(await startRun(), declare({}, { timeoutSeconds: 0.3 }));
    emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-hangs' } });
    const failure = await callErrorOf((await startRun()).delete(state));
    expect(failure.message).toMatch(/still waiting for suspend_compute \S+ running after \d/);
    expect(heldIds()).toEqual([state.id]);
  });
});
