import { expect, it } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { silenceDiagnostics } from '../support/diagnostics';
import { runCreate } from '../support/engine';
import { errorOf, failureOf } from '../support/failure';
import { ownEndpoints, type Service, startService } from '../support/start-service';
import { until } from '../support/virtual-world';

silenceDiagnostics();

async function rest({ emulator, project }: Pick<Service, 'emulator' | 'project'>) {
  const isOver = () => emulator.operations(project.id).every(({ status }) => /ed$/.test(status));
  await until(isOver);
}

/** An endpoint whose compute the service has suspended and started again since the last update. */
async function startWoken() {
  const service = await startService();
  const { id, inputs, outs } = await runCreate(service.startProvider(), service.declare());
  for (const [verb, state] of [
    ['suspend', 'idle'],
    ['start', 'active'],
  ]) {
    await service.send('POST', `${id}/${verb}`);
    await until(() => ownEndpoints(service)[0]?.current_state === state);
  }
  return { service, emulator: service.emulator, id, inputs, outs };
}

it('an old suspension does not pay for a restart whose request was lost', async () => {
  const { service, emulator, id, inputs, outs } = await startWoken();
  const desired = { ...inputs, restartTriggers: { day: '2' } };
  const lost = emulator.inject({
    match: { method: 'POST', path: '/projects/:p/endpoints/:e/suspend' },
    times: 'always',
    effect: { kind: 'lost-before-work' },
  });
  const failed = service.startProvider().update(id, outs, { ...desired, timeouts: { update: 1 } });
  const { properties } = await failureOf(failed);
  lost.clear();
  await service.startProvider().update(id, properties as StoredOutputs, desired);
  expect(emulator.connectionDrops(id)).toBe(2);
});

it('an old suspension does not pay for a trigger that version 1 left', async () => {
  const { service, emulator, id, inputs, outs } = await startWoken();
  const { __ledger, ...old } = outs;
  const restartTriggers = { day: '2' };
  const before = { ...old, restartTriggers, __schemaVersion: 1, __unapplied: ['restartTriggers'] };
  const desired = { ...inputs, restartTriggers };
  await service.startProvider().update(id, before as StoredOutputs, desired);
  expect(emulator.connectionDrops(id)).toBe(2);
});

it('a trigger beside settings that the service has already restarts the compute', async () => {
  const { service, emulator, id, inputs, outs } = await startWoken();
  await service.send('PATCH', id, { endpoint: { suspend_timeout_seconds: 600 } });
  await rest(service);
  const desired = { ...inputs, restartTriggers: { day: '2' }, suspendTimeoutSeconds: 600 };
  await service.startProvider().update(id, outs, desired);
  expect(emulator.connectionDrops(id)).toBe(2);
});

it('a refused update does not hide a failed restart of a lost request', async () => {
  const service = await startService();
  const { emulator } = service;
  const { id, inputs, outs } = await runCreate(service.startProvider(), service.declare());
  const desired = { ...inputs, autoscalingLimitMaxCu: 2 };
  emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
  const lost = emulator.inject({
    match: { method: 'PATCH' },
    times: 'always',
    effect: { kind: 'lost-after-work' },
  });
  const failed = service.startProvider().update(id, outs, { ...desired, timeouts: { update: 1 } });
  const first = await failureOf(failed);
  lost.clear();
  await rest(service);
  emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 403 } });
  const refused = service.startProvider().update(id, first.properties as StoredOutputs, desired);
  const second = await failureOf(refused);
  await service.startProvider().update(id, second.properties as StoredOutputs, desired);
  expect(emulator.connectionDrops(id)).toBe(1);
});

it('a move to a branch that does not exist is no missing endpoint', async () => {
  const service = await startService();
  const { id, inputs, outs } = await runCreate(service.startProvider(), service.declare());
  const moved = service.startProvider().update(id, outs, { ...inputs, branchId: 'br-nowhere-12345678' });
  expect((await errorOf(moved)).message).not.toContain('the endpoint no longer exists');
});
