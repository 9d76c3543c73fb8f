import { describe, expect, it } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { silenceDiagnostics } from '../support/diagnostics';
import { runCreate, runUpdate } from '../support/engine';
import { errorOf, outcomeOf } from '../support/failure';
import { ownEndpoints, startService } from '../support/start-service';

silenceDiagnostics();

const operationLists = { method: 'GET', path: '/projects/:p/operations' };

describe('an unfinished write', () => {
  it('does not succeed before the compute is active when the POST response is lost and lists of operations lag', async () => {
    const service = await startService({ operationMs: 2_500, readLagMs: 800 });
    service.emulator.inject({
      match: operationLists,
      times: 'always',
      effect: { kind: 'late-read', lateMs: 300 },
    });
    service.emulator.inject({ match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } });
    service.emulator.inject({ match: { method: 'POST' }, effect: { kind: 'lost-after-work' } });
    const created = await outcomeOf(runCreate(service.startProvider(), service.declare()));
    if (!(created instanceof Error)) expect(ownEndpoints(service)[0]?.current_state).toBe('active');
  });
  it('fails with its operation when the PATCH response is lost and all lists lag', async () => {
    const operationMs = { default: 20, apply_config: 1_500 };
    const service = await startService({ operationMs, readLagMs: 800, lateListsMs: 300, locks: 'none' });
    const state = await runCreate(service.startProvider(), service.declare());
    service.emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    service.emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'lost-after-work' } });
    const desired = service.declare({ suspendTimeoutSeconds: 900 });
    await errorOf(runUpdate(service.startProvider(), state, desired));
  });
  it('retries a start that failed after a resumed operation', async () => {
    const service = await startService();
    const { emulator, project } = service;
    const { id, inputs, outs } = await runCreate(service.startProvider(), service.declare());
    const running = { action: 'apply_config', status: 'running' };
    const applying = emulator.addOperation(project.id, { ...running, endpointId: id });
    const olds = { ...outs, unsettledOperations: [{ id: applying.operation.id, ...running }] };
    setTimeout(() => {
      emulator.addOperation(project.id, { action: 'start_compute', status: 'failed', endpointId: id });
      applying.finish();
    }, 100);
    await service.startProvider().update(id, olds, inputs);
    expect(emulator.requests().filter(({ path }) => path.endsWith('/start'))).toHaveLength(1);
  });
  it('sends a failed change again when its first retry is lost', async () => {
    const service = await startService();
    const { emulator } = service;
    const state = await runCreate(service.startProvider(), service.declare());
    emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
    const desired = { ...state.inputs, suspendTimeoutSeconds: 900 };
    const failure = await errorOf(runUpdate(service.startProvider(), state, desired));
    emulator.addOperation(service.project.id, { action: 'create_branch', status: 'finished' });
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
    emulator.addOperation(service.project.id, { action: 'create_branch', status: 'finished' });
    emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'lost-before-work' } });
    const before = emulator.requests().length;
    const olds = { id: state.id, inputs: desired, outs: failure.properties as StoredOutputs };
    await outcomeOf(runUpdate(service.startProvider(), olds, desired));
    const patches = emulator
      .requests()
      .slice(before)
      .filter(({ method }) => method === 'PATCH');
    expect(patches.map(({ status }) => status)).toContain(200);
  });
  it('is not a successful delete when the operation is skipped and the endpoint still exists', async () => {
    const service = await startService();
    const { id, outs } = await runCreate(service.startProvider(), service.declare());
    service.emulator.inject({
      match: { action: 'suspend_compute' },
      effect: { kind: 'operation-status', status: 'skipped' },
    });
    const outcome = await outcomeOf(service.startProvider().delete(id, outs));
    expect([outcome instanceof Error, ownEndpoints(service).length]).not.toEqual([false, 1]);
  });
});
