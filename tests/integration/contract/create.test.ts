import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import { callErrorOf, runPreview, runUp } from '../../support/door';
import { doors, startDoor } from '../../support/start-door';

silenceDiagnostics();

const toEndpoints = { method: 'POST', path: '/projects/:project/endpoints' };

describe.each(doors)('a create by %s', (_name, door) => {
  it('creates the declared endpoint and returns once its compute is active', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const program = declare({ name: 'api', suspendTimeoutSeconds: 600, pgSettings: { work_mem: '8MB' } });
    const { id, outputs } = await runUp(await startRun(), program);
    const [endpoint] = held();
    expect(endpoint).toMatchObject({
      id,
      name: 'api',
      current_state: 'active',
      autoscaling_limit_min_cu: 0.25,
      autoscaling_limit_max_cu: 1,
      suspend_timeout_seconds: 600,
      settings: { pg_settings: { work_mem: '8MB' } },
    });
    expect(outputs).toMatchObject({
      host: endpoint?.host,
      maxConnections: 112,
      pooledMaxConnections: 10_000,
      suspendTimeoutSeconds: 600,
    });
  });

  it('finds the endpoint of an earlier create whose state was lost', async () => {
    const { startRun, declare, heldIds } = await startDoor(door);
    const { id } = await runUp(await startRun(), declare());
    const again = await runUp(await startRun(), declare());
    expect(again.id).toBe(id);
    expect(heldIds()).toEqual([id]);
  });

  it('keeps the endpoint when an operation fails, and the next up retries it', async () => {
    const { startRun, declare, emulator, held } = await startDoor(door);
    const error = 'no capacity in the region';
    emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails', error } });
    const failure = await callErrorOf(runUp(await startRun(), declare()));
    expect(failure.message).toMatch(
      /^create of endpoint ep-\S+: operation start_compute \S+ failed: no capacity in the region/,
    );
    const [endpoint] = held();
    expect(failure.state).toMatchObject({
      id: endpoint?.id,
      outputs: { host: endpoint?.host, unsettledOperations: [{ action: 'start_compute', status: 'failed' }] },
    });
    const state = await runUp(await startRun(), declare(), failure.state);
    expect(state.outputs).not.toHaveProperty('unsettledOperations');
    expect(held()).toMatchObject([{ id: endpoint?.id, current_state: 'active' }]);
    expect(await runPreview(await startRun(), declare(), state)).toMatchObject({ hasChanges: false });
  });

  it('says at its time-out that polls have failed', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-hangs' } });
    emulator.inject({
      match: { path: '/projects/:p/operations' },
      times: 'always',
      effect: { kind: 'status', status: 503 },
    });
    const failure = await callErrorOf(runUp(await startRun(), declare({}, { timeoutSeconds: 0.3 })));
    expect(failure.message).toMatch(/running after 0\.\d s \(the last poll failed: GET /);
  });

  it('ends at its time-out with the endpoint in state, and the next up resumes the wait', async () => {
    const { startRun, declare, emulator, held, writes } = await startDoor(door);
    const hanging = emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-hangs' },
    });
    const program = declare({}, { timeoutSeconds: 0.3 });
    const failure = await callErrorOf(runUp(await startRun(), program));
    expect(failure.message).toMatch(/still waiting for start_compute \S+ running after \d/);
    hanging.clear();
    await runUp(await startRun(), declare(), failure.state);
    expect(held()).toMatchObject([{ id: failure.state?.id, current_state: 'active' }]);
    expect(writes().map(({ method }) => method)).toEqual(['POST']);
  });

  it('returns without a wait under waitForOperations: false, and records what is unfinished', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-hangs' } });
    const { outputs } = await runUp(await startRun(), declare({ waitForOperations: false }));
    expect(outputs).toMatchObject({
      unsettledOperations: [{ action: 'start_compute', status: 'running' }],
    });
  });

  it('leaves nothing in state when the service refuses it', async () => {
    const { startRun, declare, emulator, held } = await startDoor(door);
    const message = 'the project has too many endpoints';
    emulator.inject({ match: toEndpoints, effect: { kind: 'status', status: 422, message } });
    const failure = await callErrorOf(runUp(await startRun(), declare()));
    expect(failure.message).toMatch(/^POST \S+\/endpoints: 422 .*the project has too many endpoints/);
    expect(failure.state).toBeUndefined();
    expect(held()).toEqual([]);
  });
});

describe.each(doors)('on a branch that has a read_write endpoint, %s', (_name, door) => {
  async function startOnPrimary() {
    const service = await startDoor(door);
    const [primary] = service.emulator.endpoints(service.project.id);
    if (!primary) throw new Error('The project has no endpoint.');
    const declare = (args: Parameters<typeof service.declare>[0] = {}) =>
      service.declare({ branchId: primary.branch_id, ...args });
    return { ...service, primary, declare };
  }

  it('stops the create and names that endpoint', async () => {
    const { startRun, declare, primary } = await startOnPrimary();
    const failure = await callErrorOf(runUp(await startRun(), declare()));
    expect(failure.message).toContain(`The read_write endpoint of the branch is ${primary.id}. adopt: true`);
    expect(failure.state).toBeUndefined();
  });

  it('takes the endpoint over with adopt: true, and updates it to the declared values', async () => {
    const { startRun, declare, emulator, primary } = await startOnPrimary();
    const { id } = await runUp(await startRun(), declare({ adopt: true, autoscalingLimitMaxCu: 2 }));
    expect(id).toBe(primary.id);
    expect(emulator.endpoints()).toMatchObject([{ id, autoscaling_limit_max_cu: 2 }]);
  });

  it('does not restart the adopted endpoint under allowRestart: false, nor keep it in state', async () => {
    const { startRun, declare, emulator, primary } = await startOnPrimary();
    const program = declare({ adopt: true, allowRestart: false, autoscalingLimitMaxCu: 4 });
    const run = await startRun();
    const { failures, ...declared } = await run.check(undefined, program);
    expect(failures).toEqual([
      expect.objectContaining({ reason: expect.stringContaining('allowRestart is false') }),
    ]);
    const failure = await callErrorOf(run.create(declared));
    expect(failure.message).toMatch(/^allowRestart is false/);
    expect(failure.state).toBeUndefined();
    expect(emulator.restarts(primary.id)).toBe(0);
  });
});

describe.each(doors)('a secret argument, with %s,', (_name, door) => {
  it('is redacted where an error of the service quotes it', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const secret = 'canary-setting-7f3a';
    const message = `invalid value ${secret}`;
    emulator.inject({ match: toEndpoints, effect: { kind: 'status', status: 422, message } });
    const program = declare({ pgSettings: { 'app.key': secret } }, { secrets: ['pgSettings'] });
    const failure = await callErrorOf(runUp(await startRun(), program));
    expect(failure.message).toContain('invalid value ***');
    expect(failure.message).not.toContain(secret);
  });

  it('is redacted in the failure of a delete, which knows it from the state', async () => {
    const { startRun, declare, emulator } = await startDoor(door);
    const secret = 'canary-setting-7f3a';
    const program = declare({ pgSettings: { 'app.key': secret } }, { secrets: ['pgSettings'] });
    const state = await runUp(await startRun(), program);
    const message = `${secret} is in use`;
    emulator.inject({ match: { method: 'DELETE' }, effect: { kind: 'status', status: 422, message } });
    const failure = await callErrorOf((await startRun()).delete(state));
    expect(failure.message).toContain('*** is in use');
  });
});

it.each(doors)('%s shows no key that the service repeats', async (_name, door) => {
  const { startRun, declare, emulator } = await startDoor(door, { apiKey: 'canary-key-5d2e' });
  const message = 'the key canary-key-5d2e is not welcome';
  emulator.inject({ match: toEndpoints, effect: { kind: 'status', status: 403, message } });
  const { message: shown } = await callErrorOf(runUp(await startRun(), declare()));
  expect(shown).toContain('the key *** is not welcome');
});
