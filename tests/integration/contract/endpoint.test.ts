import { describe, expect, it } from 'vitest';
import type { EndpointInputs } from '../../../provider/src/endpoint/endpoint-inputs';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, failedState, runPreview, runRefresh, runUp } from '../../support/door';
import { doors, startDoor } from '../../support/start-door';

silenceDiagnostics();

// What each adapter passes between the engine and the provider. What the provider then does: the rows beside this folder.

describe.each(doors)('%s', (_name, door) => {
  it.each([
    ['branchId', { branchId: undefined }, 'is required: it names the branch that the endpoint serves'],
    ['pgSettings', { pgSettings: { work_mem: 8 } }, 'work_mem must be text'],
    ['poolerEnable', { poolerEnable: true }, 'is not an argument of a ComputeEndpoint; those are projectId'],
  ])('refuses a wrong %s without a request: %j', async (property, wrong, reason) => {
    const { startRun, declare, emulator } = await startDoor(door);
    const { failures } = await (await startRun()).check(undefined, declare(wrong as object));
    expect(failures).toEqual([{ property, reason: expect.stringContaining(reason) }]);
    expect(emulator.requests()).toEqual([]);
  });

  it('derives a name for a resource without one, and later checks keep it', async () => {
    const { startRun, declare } = await startDoor(door);
    const first = await (await startRun()).check(undefined, declare());
    expect(first.inputs).toMatchObject({ name: expect.stringMatching(/^shop-test-api-[0-9a-f]{8}$/) });
    const again = await (await startRun()).check(first, declare({ suspendTimeoutSeconds: 60 }));
    expect(again.inputs).toMatchObject({ name: (first.inputs as { name: string }).name });
  });

  it('reads the key of the stack config rather than that of the environment', async () => {
    const { startRun, declare, held } = await startDoor(door);
    await expect(runUp(await startRun({ apiKey: 'wrong' }), declare())).rejects.toThrow(
      /GET \/projects\/[^ ]+\/branches: 401 Unauthorized.*\(request id [^)]+\)\. Is the key in (apiKey of the provider \()?postgres-?[cC]ompute:apiKey\)? valid/,
    );
    const keyless = startRun({ apiKey: ' ' }).then((run) => runUp(run, declare()));
    await expect(keyless).rejects.toThrow(
      /The API key .* is missing: set it with `pulumi config set --secret/,
    );
    expect(held()).toEqual([]);
  });

  it('returns the outputs of a create, and of an update those that changed', async () => {
    const { startRun, declare, held, writes } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ suspendTimeoutSeconds: 600 }));
    expect(state.outputs).toMatchObject({
      ...{ host: held()[0]?.host, suspendTimeoutSeconds: 600 },
      ...{ maxConnections: 112, pooledMaxConnections: 10_000 },
    });
    const change = { suspendTimeoutSeconds: 900, waitForOperations: false };
    const { outputs } = await runUp(await startRun(), declare(change), state);
    expect(outputs).toMatchObject(change);
    expect(writes().at(-1)?.body).toEqual({ endpoint: { suspend_timeout_seconds: 900 } });
  });

  it.each<[Partial<EndpointInputs>, string[]]>([
    [{ type: 'read_only' }, ['type']],
    [{ regionId: 'elsewhere', projectId: 'another-project-1' }, ['projectId', 'regionId']],
    [{ waitForOperations: false, restartTriggers: { release: '2' } }, []],
  ])('diffs %j', async (change, replaces) => {
    const { startRun, declare } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const preview = await runPreview(await startRun(), declare(change), state);
    expect({ ...preview, replaces: [...preview.replaces].sort() }).toEqual({ hasChanges: true, replaces });
  });

  it('returns the inputs of a failed update by a refresh', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const state = await runUp(await startRun(), declare({ autoscalingLimitMaxCu: 1 }));
    emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    const failed = await failedState(runUp(await startRun(), declare({ autoscalingLimitMaxCu: 2 }), state));
    expect(failed.declared.inputs).toMatchObject({ autoscalingLimitMaxCu: 1 });
    const { state: refreshed } = await runRefresh(await startRun(), failed);
    expect(refreshed?.declared.inputs).toMatchObject({ autoscalingLimitMaxCu: 2 });
    expect(refreshed?.outputs.unsettledOperations).toEqual(failed.outputs.unsettledOperations);
  });

  it('stops before a restart without a diff, and after a refresh', async () => {
    const { startRun, declare, emulator, writes } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    const run = await startRun();
    const gated = await run.check(state.declared, declare({ allowRestart: false, autoscalingLimitMaxCu: 2 }));
    expect((await callErrorOf(run.update(state, gated))).message).toMatch(/^allowRestart is false/);
    emulator.changeEndpoint(state.id, { autoscaling_limit_max_cu: 4 });
    const next = await startRun();
    const { state: refreshed } = await runRefresh(next, state);
    const restored = runUp(next, declare({ allowRestart: false }), refreshed);
    expect((await callErrorOf(restored)).message).toMatch(/^allowRestart is false/);
    expect(writes()).toHaveLength(1);
  });

  it('is restored or deleted in the run that refreshed it', async () => {
    const { startRun, declare, emulator, held } = await startDoor(door);
    const state = await runUp(await startRun(), declare());
    emulator.changeEndpoint(state.id, { autoscaling_limit_max_cu: 4 });
    const run = await startRun();
    const { state: refreshed, hasChanges } = await runRefresh(run, state);
    expect(hasChanges).toBe(true);
    const restored = await runUp(run, declare(), refreshed);
    expect(held()).toMatchObject([{ id: state.id, autoscaling_limit_max_cu: 1 }]);
    const last = await startRun();
    await runRefresh(last, restored);
    await last.delete(restored);
    expect(held()).toEqual([]);
  });

  it('redacts a secret argument, also one that only the state knows', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const program = declare({ pgSettings: { 'app.key': 'canary' } }, { secrets: ['pgSettings'] });
    const effect = { kind: 'status', status: 422, message: 'canary is no value' } as const;
    const refusal = emulator.inject({ match: { method: 'POST' }, effect });
    expect((await callErrorOf(runUp(await startRun(), program))).message).toContain('*** is no value');
    refusal.clear();
    const state = await runUp(await startRun(), program);
    emulator.inject({ match: { method: 'DELETE' }, effect });
    expect((await callErrorOf((await startRun()).delete(state))).message).toContain('*** is no value');
  });
});
