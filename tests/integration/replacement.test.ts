import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Replacement, runCreate, runReplacement, runUpdate } from '../support/engine';
import { ownEndpoints, type Service, startService } from '../support/start-service';

const deletesFirst: Replacement[] = [
  { cause: 'forced', deletesFirst: true },
  { cause: 'declared', deletesFirst: true },
];

let told: string[];

beforeEach(() => {
  told = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => told.push(String(text)) > 0);
  return () => vi.restoreAllMocks();
});

describe.each(deletesFirst)('a $cause replacement that deletes first', (replacement) => {
  it.each([
    ['read_write', undefined],
    ['read_only', undefined],
    ['read_write', 'api'],
    ['read_only', 'api'],
  ] as const)('makes another %s endpoint of the name %s', async (type, name) => {
    const service = await startService();
    const program = service.declare({ type, ...(name && { name }) });
    const state = await runCreate(service.startProvider(), program);
    const wanted = replacement.cause === 'declared' ? { ...program, provisioner: 'k8s-pod' } : program;
    const next = await runReplacement(service.startProvider(), state, wanted, replacement);
    expect(next.id).not.toBe(state.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
    expect(ownEndpoints(service)[0]).toMatchObject({ current_state: 'active', ...(name && { name }) });
  });

  it('does not trust a list that still shows the old endpoint', async () => {
    const service = await startService({ lateListsMs: 150, lateGetsMs: 150 });
    const program = service.declare({ type: 'read_only' });
    const state = await runCreate(service.startProvider(), program);
    const next = await runReplacement(service.startProvider(), state, program, replacement);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
    expect(next.id).not.toBe(state.id);
  });

  it('that was cut off after the delete is finished by the next run', async () => {
    const service = await startService();
    const program = service.declare({ type: 'read_only' });
    const state = await runCreate(service.startProvider(), program);
    const run = service.startProvider();
    await run.check({}, { ...program });
    await run.delete(state.id, state.outs);
    const next = await runCreate(service.startProvider(), program);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
  });
});

it('a change of type with a name given by the user works in both directions', async () => {
  const service = await startService();
  const replica = service.declare({ type: 'read_only', name: 'api' });
  const state = await runCreate(service.startProvider(), replica);
  const primary = { ...replica, type: 'read_write' as const };
  const declared = { cause: 'declared', deletesFirst: true } as const;
  const next = await runReplacement(service.startProvider(), state, primary, declared);
  expect(ownEndpoints(service)).toMatchObject([{ id: next.id, type: 'read_write', name: 'api' }]);
  const last = await runReplacement(service.startProvider(), next, replica, declared);
  expect(ownEndpoints(service)).toMatchObject([{ id: last.id, type: 'read_only', name: 'api' }]);
});

describe('with deleteBeforeReplace: false', () => {
  const declareReplica = (service: Service) =>
    service.declare({ type: 'read_only', __createsBeforeDelete: true });

  it('a declared replacement makes the new replica before the old one goes', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const state = await runCreate(service.startProvider(), program);
    const wanted = { ...program, provisioner: 'k8s-pod' };
    const run = service.startProvider();
    const next = await runReplacement(run, state, wanted, { cause: 'declared', deletesFirst: false });
    expect(next.id).not.toBe(state.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
    expect(next.outs.name).not.toBe(state.outs.name);
  });

  it('a replacement without a changed property (replaceWith) makes a new replica too', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const state = await runCreate(service.startProvider(), program);
    const next = await runReplacement(service.startProvider(), state, program, {
      cause: 'declared',
      deletesFirst: false,
    });
    expect(next.id).not.toBe(state.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([next.id]);
  });

  it('a declared replacement that was killed after the create finds what it made', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const state = await runCreate(service.startProvider(), program);
    const killed = service.startProvider();
    const { inputs: checked } = await killed.check({ ...state.inputs }, { ...program });
    await killed.diff(state.id, state.outs, checked as typeof program);
    const { inputs } = await killed.check({}, { ...program });
    const made = await killed.create(inputs as typeof program);
    const next = await runReplacement(service.startProvider(), state, program, {
      cause: 'declared',
      deletesFirst: false,
    });
    expect(next.id).toBe(made.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([made.id]);
  });

  it('a forced replacement keeps the endpoint, and says so', async () => {
    const service = await startService();
    const program = declareReplica(service);
    const state = await runCreate(service.startProvider(), program);
    const next = await runReplacement(service.startProvider(), state, program, {
      cause: 'forced',
      deletesFirst: false,
    });
    expect(next.id).toBe(state.id);
    expect(ownEndpoints(service).map(({ id }) => id)).toEqual([state.id]);
    expect(told.join('')).toContain(`endpoint ${state.id} was kept`);
    expect((await runUpdate(service.startProvider(), next, program)).id).toBe(state.id);
  });
});

it('a forced replacement that keeps the endpoint resets what the program no longer gives', async () => {
  const service = await startService();
  const bare = service.declare({ type: 'read_only', __createsBeforeDelete: true });
  const state = await runCreate(service.startProvider(), {
    ...bare,
    suspendTimeoutSeconds: 600,
    pgSettings: { work_mem: '8MB' },
  });
  const forced = { cause: 'forced', deletesFirst: false } as const;
  const next = await runReplacement(service.startProvider(), state, bare, forced);
  expect(ownEndpoints(service)).toMatchObject([
    { id: next.id, suspend_timeout_seconds: 0, settings: { pg_settings: {} } },
  ]);
});

it('two organizations with the same project, stack and resource have endpoints of their own', async () => {
  const service = await startService();
  const program = service.declare({ type: 'read_only' });
  const ours = await runCreate(service.startProvider(), { ...program, __organization: 'acme' });
  const theirs = await runCreate(service.startProvider(), { ...program, __organization: 'umbrella' });
  expect(theirs.id).not.toBe(ours.id);
  expect(ownEndpoints(service)).toHaveLength(2);
});
