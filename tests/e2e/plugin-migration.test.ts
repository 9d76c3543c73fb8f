import { expect, it } from 'vitest';
import { program } from '../fixtures/state/program';
import { startFromState, stateFixtures } from '../support/old-state';
import type { PulumiStack } from '../support/pulumi-stack';
import { startProgram } from '../support/start-stack';

const pluginPath = 'pulumi-postgres-compute/plugin';
const pluginType = 'postgres-compute:index:ComputeEndpoint';

type Service = Pick<Awaited<ReturnType<typeof startProgram>>, 'stack' | 'emulator' | 'held'>;

const idsOf = ({ held }: Service) => held().map(({ id }) => id);

async function endpointsIn(stack: PulumiStack) {
  const { endpoints } = await stack.exportState();
  return endpoints.map(({ id = '', type }) => ({ id, type }));
}

/** Moves the stack, whose program imports the class of the plugin by now: nothing is changed at the service. */
async function moveUnchanged(service: Service): Promise<void> {
  const { stack, emulator } = service;
  const before = idsOf(service);
  const writes = () => emulator.requests().filter(({ method }) => method !== 'GET').length;
  const earlier = writes();
  await stack.run('preview', '--expect-no-changes');
  await stack.run('up', '--yes', '--skip-preview', '--expect-no-changes');
  expect(idsOf(service)).toEqual(before);
  const inState = await endpointsIn(stack);
  expect(inState.map(({ id }) => id).sort()).toEqual([...before].sort());
  expect(new Set(inState.map(({ type }) => type))).toEqual(new Set([pluginType]));
  await stack.run('refresh', '--yes', '--skip-preview');
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  await stack.run('preview', '--expect-no-changes');
  const { text } = await stack.exportState();
  expect(text).not.toMatch(/__provider|__urn|__declared|restartOnChange/);
  expect(writes()).toBe(earlier);
}

it('a stack of the dynamic provider moves to the plugin', async () => {
  const args = (maxCu: number) =>
    `autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: ${maxCu}, restartTriggers: { release: '1' },
     pgSettings: { work_mem: pulumi.secret('8MB') }, timeouts: { update: 60 }`;
  const service = await startProgram(args(1));
  const { stack, emulator, held, declare } = service;
  await stack.run('up', '--yes', '--skip-preview');
  const [{ id = '' } = {}] = held();

  await declare(args(1), { importPath: pluginPath });
  await moveUnchanged(service);
  expect((await stack.exportState()).text).not.toContain('8MB');

  await declare(args(2), { importPath: pluginPath });
  await stack.run('up', '--yes', '--skip-preview');
  expect(held()).toMatchObject([{ id, autoscaling_limit_max_cu: 2 }]);
  expect(emulator.restarts(id)).toBe(1);
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(held()).toEqual([]);
});

it('an unfinished operation is resumed after the move to the plugin', async () => {
  const service = await startProgram('timeouts: { create: 2 }');
  const { stack, emulator, held, declare } = service;
  const match = { action: 'start_compute' };
  const fault = emulator.inject({ match, effect: { kind: 'operation-hangs' } });
  expect((await stack.try('up', '--yes', '--skip-preview')).exitCode).not.toBe(0);
  fault.clear();
  await declare('timeouts: { create: 2 }', { importPath: pluginPath });
  await stack.run('up', '--yes', '--skip-preview');
  expect(held()).toMatchObject([{ current_state: 'active' }]);
  expect(emulator.requests().filter(({ method }) => method === 'POST')).toHaveLength(1);
  expect((await stack.exportState()).endpoints[0]?.outputs).not.toHaveProperty('unsettledOperations');
  await stack.run('preview', '--expect-no-changes');
});

it.each(stateFixtures)('the state in %s moves to the plugin, and keeps its endpoints', async (fixture) => {
  const service = await startFromState(fixture);
  const { stack, emulator, primaryId, replicaId } = service;
  const moved = program.replace("'pulumi-postgres-compute'", `'${pluginPath}'`);
  await stack.writeProgram(moved);
  await moveUnchanged(service);
  await stack.writeProgram(moved.replace('suspendTimeoutSeconds: 600', 'suspendTimeoutSeconds: 900'));
  await stack.run('up', '--yes', '--skip-preview');
  expect(emulator.endpoints().find(({ id }) => id === primaryId)).toMatchObject({
    suspend_timeout_seconds: 900,
  });
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(emulator.endpoints().filter(({ id }) => [primaryId, replicaId].includes(id))).toEqual([]);
});
