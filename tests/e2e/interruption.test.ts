import { describe, expect, it } from 'vitest';
import { doorNames } from '../support/program-doors';
import { findHosts, waitForHosts } from '../support/provider-hosts';
import { flat } from '../support/pulumi-stack';
import { startProgram } from '../support/start-stack';

type Program = Awaited<ReturnType<typeof startProgram>>;

const up = ['up', '--yes', '--skip-preview'];
const hanging = { match: { action: 'start_compute' }, effect: { kind: 'operation-hangs' } } as const;

async function stateOf({ stack }: Program) {
  const [resource] = (await stack.exportState()).endpoints;
  return resource;
}

/** Starts an update, and returns it once its create has been answered. */
async function startUp({ stack, writes, held }: Program) {
  const command = stack.start(...up);
  const ended = command.catch((error: { all?: string; exitCode?: number }) => error);
  await expect.poll(() => writes().length + held().length).toBe(2);
  return { command, ended };
}

/** The state holds the endpoint of the branch, which is complete. */
async function expectComplete(program: Program): Promise<void> {
  expect(program.held()).toMatchObject([{ current_state: 'active' }]);
  const resource = await stateOf(program);
  expect(resource?.id).toBe(program.held()[0]?.id);
  expect(resource?.outputs).not.toHaveProperty('unsettledOperations');
}

/** The state holds the endpoint with its unfinished start, for which the next up waits. */
async function expectResumed(program: Program, fault: { clear(): void }): Promise<void> {
  expect(await stateOf(program)).toMatchObject({
    id: program.held()[0]?.id,
    outputs: { unsettledOperations: [{ action: 'start_compute', status: 'running' }] },
  });
  fault.clear();
  await program.stack.run(...up);
  await expectComplete(program);
  expect(program.writes()).toHaveLength(1);
}

describe.each(doorNames)('by the %s provider', (door) => {
  it('a deadline ends a create in state, and the next up resumes', async () => {
    const isPlugin = door === 'plugin';
    const options = isPlugin ? { customTimeouts: { create: '2s' } } : undefined;
    const program = await startProgram(door, isPlugin ? {} : { timeouts: { create: 2 } }, { options });
    const fault = program.emulator.inject(hanging);
    const { exitCode, screen } = await program.stack.try(...up);
    expect(exitCode).not.toBe(0);
    expect(flat(screen)).toMatch(/still waiting for start_compute [-0-9a-f]{36} running after 2 s/);
    if (isPlugin) expect(flat(screen)).toContain('The resource option `customTimeouts` sets how long');
    await expectResumed(program, fault);
  });

  it('after a kill -9 the provider ends, and the next up finds its endpoint', async () => {
    const program = await startProgram(door);
    const { stack, emulator } = program;
    const fault = emulator.inject(hanging);
    const { command, ended } = await startUp(program);
    expect(await findHosts(stack)).not.toEqual([]);
    command.kill('SIGKILL');
    await ended;
    expect(await waitForHosts(stack)).toEqual([]);
    fault.clear();
    await stack.run('cancel', '--yes');
    await stack.run(...up);
    await expectComplete(program);
  });
});

it('Ctrl-C ends an up of the plugin at once, and the next up resumes', async () => {
  const program = await startProgram('plugin');
  const fault = program.emulator.inject(hanging);
  const { command, ended } = await startUp(program);
  const interruptedAt = Date.now();
  command.kill('SIGINT');
  const { all = '', exitCode } = await ended;
  expect(Date.now() - interruptedAt).toBeLessThan(30_000);
  expect(exitCode).not.toBe(0);
  expect(flat(all)).toMatch(/create of endpoint ep-\S+: interrupted while waiting for start_compute/);
  expect(await waitForHosts(program.stack)).toEqual([]);
  await expectResumed(program, fault);
});
