import type { Endpoint } from 'postgres-control-emulator';
import { describe, expect, it } from 'vitest';
import type { StoredInputs, StoredOutputs } from '../../provider/src/dynamic/stored-properties';
import { collectDiagnostics } from '../support/diagnostics';
import { runCreate, runUpdate } from '../support/engine';
import { failureOf } from '../support/failure';
import { startProxy } from '../support/rewriting-proxy';
import { startHttpService } from '../support/start-http-service';
import { idsOf, ownEndpoints, type Service, startService, urnOf } from '../support/start-service';

const shown = collectDiagnostics();

const derivedName = async (service: Service, inputs: StoredInputs) => {
  const { name: _, ...nameless } = inputs;
  const checked = await service.startProvider().check({}, nameless);
  return (checked.inputs as StoredInputs).name as string;
};

it('an update reports a replica of the derived name, and how to delete it', async () => {
  const service = await startService();
  const { emulator, project, branch } = service;
  const program = service.declare({ type: 'read_only', name: 'api' });
  const state = await runCreate(service.startProvider(), program);
  expect(shown.join('')).not.toContain('derived name');
  // By a request of a killed create that arrives late.
  const name = await derivedName(service, program);
  const late = emulator.createEndpoint(project.id, { branch_id: branch.id, type: 'read_only', name });
  await runUpdate(service.startProvider(), state, { ...program, suspendTimeoutSeconds: 600 });
  expect(shown.join('')).toContain(`warning: endpoint ${late.id}`);
  expect(shown.join('')).toContain(
    `\`postgres-compute endpoints delete ${late.id} --project ${project.id}\``,
  );
  expect(idsOf(service)).toEqual([state.id, late.id]);
});

it('a replica whose POST response is lost is created once, although a later list omits it once', async () => {
  const service = await startHttpService({ operationMs: 30 });
  let shownBy = 0;
  let posts = 0;
  let gets = 0;
  const url = await startProxy(service.emulator.url, (method, path, response) => {
    if (method === 'POST' && posts++ === 0) return { status: 502, body: '' };
    if (/endpoints$/.test(path) && method === 'GET') {
      const { endpoints = [] } = response.body || {};
      const others = endpoints.filter((each) => each.branch_id !== service.branch.id);
      if (others.length < endpoints.length && ++shownBy === 2)
        return { ...response, body: { endpoints: others } };
    }
    if (/endpoints\/ep-[^/]+$/.test(path) && method === 'GET' && gets++ === 0)
      return { status: 404, body: { code: 'NOT_FOUND', message: 'not found' } as object };
    return undefined;
  });
  const provider = service.startProvider({ POSTGRES_COMPUTE_BASE_URL: url });
  const { id } = await runCreate(provider, service.declare({ type: 'read_only' }));
  expect(idsOf(service)).toEqual([id]);
});

it('a replica that another resource has in state is not reported', async () => {
  const service = await startService({ operationMs: 30 });
  const program = service.declare({ type: 'read_only' });
  const inputs = { ...program, name: await derivedName(service, program) };
  const kept = await runCreate(service.provider, inputs);
  const { branch_id, type, name = '' } = ownEndpoints(service)[0] as Endpoint;
  const place = { branch_id, type, name };
  const { id } = service.emulator.createEndpoint(service.project.id, place, { ageMs: 60_000 });
  // The program has renamed the resource, with an alias, and declares a new one of the old name.
  const nextRun = service.startProvider();
  const renamed = { ...inputs, __urn: urnOf('renamed') };
  await nextRun.check(kept.inputs, renamed);
  await nextRun.diff(kept.id, kept.outs, renamed);
  expect((await nextRun.create(inputs)).id).toBe(id);
  expect(shown.join('')).not.toContain('derived name');
  expect(idsOf(service).sort()).toEqual([id, kept.id].sort());
});

describe('a new resource with the old name of a renamed one', () => {
  it('is refused with a name of its own, too: its create would take over the endpoint', async () => {
    const service = await startService();
    const declared = service.declare({ type: 'read_only' });
    const renamed = { ...declared, name: await derivedName(service, declared), __urn: urnOf('renamed') };
    const { provider } = service;
    await provider.check(renamed, { ...declared, __urn: urnOf('renamed') });
    const { failures } = await provider.check({}, { ...declared, name: 'fresh' });
    expect(failures).toMatchObject([{ property: 'name', reason: expect.stringContaining(urnOf('renamed')) }]);
  });
  it('stops the run that finds its endpoint in state twice', async () => {
    const service = await startService();
    const inputs = service.declare();
    const { id, outs } = await runCreate(service.provider, inputs);
    const nextRun = service.startProvider();
    await nextRun.check(inputs, inputs);
    await nextRun.diff(id, outs, inputs);
    const renamed = { ...inputs, __urn: urnOf('renamed') };
    await nextRun.check(inputs, renamed);
    const again = nextRun.diff(id, outs, renamed);
    await expect(again).rejects.toThrow(`already belongs to ${urnOf('api')} in the same state`);
  });
});

it('an update after a failed create leaves alone what other people have changed, although it fails once', async () => {
  const service = await startService();
  const { emulator } = service;
  const failing = { match: { action: 'start_compute' }, effect: { kind: 'operation-fails' } } as const;
  emulator.inject(failing);
  const inputs = service.declare();
  const { id = '', properties } = await failureOf(runCreate(service.startProvider(), inputs));
  emulator.changeEndpoint(id, { settings: { pg_settings: { work_mem: '64MB' } } });
  emulator.inject(failing);
  const update = (outs: unknown) =>
    runUpdate(service.startProvider(), { id, inputs, outs: outs as StoredOutputs }, inputs);
  await update((await failureOf(update(properties))).properties);
  expect(ownEndpoints(service)).toMatchObject([{ id, current_state: 'active' }]);
  expect(ownEndpoints(service)).toHaveProperty('0.settings.pg_settings.work_mem', '64MB');
});

it('an update repeats the suspension that failed when a create took over its endpoint and moved it', async () => {
  const service = await startService();
  const { emulator, project } = service;
  const program = service.declare({ type: 'read_only', __createsBeforeDelete: true });
  const { id } = await runCreate(service.startProvider(), program);
  const { id: branchId } = emulator.createBranch(project.id, { name: 'next' });
  emulator.inject({ match: { action: 'suspend_compute' }, effect: { kind: 'operation-fails' } });
  const inputs = { ...program, branchId };
  const { properties } = await failureOf(runCreate(service.startProvider(), inputs));
  const state = { id, inputs, outs: properties as StoredOutputs };
  await runUpdate(service.startProvider(), state, inputs);
  expect(emulator.requests().filter(({ path }) => path.endsWith(`${id}/suspend`))).toHaveLength(1);
});
