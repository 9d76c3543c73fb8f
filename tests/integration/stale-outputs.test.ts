import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from 'postgres-control-emulator';
import { expect, it } from 'vitest';
import type { StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { silenceDiagnostics } from '../support/diagnostics';
import { runCreate, runUpdate } from '../support/engine';
import { failureOf } from '../support/failure';
import { ownEndpoints, startService } from '../support/start-service';

silenceDiagnostics();

// A list that lags behind still has what the program has dropped. If it reached the state, a later program that gives it again
// would change nothing.

const lagMs = 600;
const start = () => startService({ operationMs: 0, readLagMs: 1_500, lateListsMs: lagMs });
const workMem = { pgSettings: { work_mem: '4MB' } };
const settingsOf = (endpoint: Endpoint | undefined) => endpoint?.settings.pg_settings;

it('without waiting, a reset that failed is not undone in state by a stale list', async () => {
  const service = await start();
  const notWaiting = { waitForOperations: false } as const;
  const update = (state: Awaited<ReturnType<typeof runCreate>>, inputs: object) =>
    runUpdate(service.startProvider(), state, service.declare({ ...notWaiting, ...inputs }));
  const created = await runCreate(service.startProvider(), service.declare({ ...notWaiting, ...workMem }));
  await sleep(lagMs);
  const resumed = await update(created, workMem);
  await sleep(lagMs);
  service.emulator.inject({ match: { action: 'apply_config' }, effect: { kind: 'operation-fails' } });
  const dropped = await update(await update(resumed, {}), {});
  await sleep(lagMs);
  await update(dropped, workMem);
  expect(settingsOf(ownEndpoints(service)[0])).toEqual({ work_mem: '4MB' });
});

it('a take-over that resets a setting and then fails leaves the reset to the next update', async () => {
  const service = await start();
  const replica = { type: 'read_only', waitForOperations: false } as const;
  const { id } = await service.startProvider().create(service.declare({ ...replica, ...workMem }));
  const [{ branch_id = '', name = '' } = {}] = ownEndpoints(service);
  service.emulator.createEndpoint(service.project.id, { branch_id, type: 'read_only', name });
  await sleep(lagMs);
  // The duplicate can't be deleted.
  service.emulator.inject({ match: { method: 'DELETE' }, effect: { kind: 'status', status: 403 }, times: 1 });
  const failed = await failureOf(service.startProvider().create(service.declare(replica)));
  expect(failed.id).toBe(id);
  expect(failed.properties).toMatchObject({ __unapplied: expect.arrayContaining(['pgSettings']) });
});

it('a restart ends before the read lag does, although another client has changed what the program leaves out', async () => {
  const service = await startService({ operationMs: 0, readLagMs: 20_000 });
  const before = await runCreate(
    service.startProvider(),
    service.declare({ restartTriggers: { release: '1' } }),
  );
  service.emulator.changeEndpoint(before.id, { suspend_timeout_seconds: 90 });
  const { outs } = await runUpdate(
    service.startProvider(),
    before,
    service.declare({ restartTriggers: { release: '2' } }),
  );
  expect((outs as StoredOutputs).suspendTimeoutSeconds).toBe(90);
});
