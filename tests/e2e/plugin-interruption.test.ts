import { expect, it } from 'vitest';
import { findHosts, waitForHosts } from '../support/provider-hosts';
import { flat } from '../support/pulumi-stack';
import { startProgram, startYaml } from '../support/start-stack';

type Stack = Pick<Awaited<ReturnType<typeof startYaml>>, 'stack' | 'emulator' | 'held'>;

const hanging = { match: { action: 'start_compute' }, effect: { kind: 'operation-hangs' } } as const;

const isPost = ({ method }: { method: string }) => method === 'POST';

async function stateOf({ stack }: Stack) {
  const [resource] = (await stack.exportState()).endpoints;
  return resource;
}

/** Starts an update, and returns it once its create has been answered. */
async function start({ stack, emulator }: Stack) {
  const command = stack.start('up', '--yes', '--skip-preview');
  const ended = command.catch((error: { all?: string; exitCode?: number }) => error);
  await expect.poll(() => emulator.requests().some(isPost), { timeout: 60_000 }).toBe(true);
  return { command, ended };
}

/** Interrupts a command as Ctrl-C does. Returns what it has shown, in one line. */
async function interrupt({ command, ended }: Awaited<ReturnType<typeof start>>): Promise<string> {
  const interruptedAt = Date.now();
  command.kill('SIGINT');
  const { all = '', exitCode } = await ended;
  expect(Date.now() - interruptedAt).toBeLessThan(5_000);
  expect(exitCode).not.toBe(0);
  return flat(all);
}

/** The state holds the endpoint of the branch, which is complete. */
async function expectComplete(program: Stack): Promise<void> {
  expect(program.held()).toMatchObject([{ current_state: 'active' }]);
  const resource = await stateOf(program);
  expect(resource?.id).toBe(program.held()[0]?.id);
  expect(resource?.outputs).not.toHaveProperty('unsettledOperations');
  await program.stack.run('preview', '--expect-no-changes');
}

/** The state holds the endpoint with its unfinished start, and the next up waits for that instead of creating another one. */
async function expectResumed(program: Stack, fault: { clear(): void }): Promise<void> {
  expect(await stateOf(program)).toMatchObject({
    id: program.held()[0]?.id,
    outputs: { unsettledOperations: [{ action: 'start_compute', status: 'running' }] },
  });
  fault.clear();
  await program.stack.run('up', '--yes', '--skip-preview');
  await expectComplete(program);
  expect(program.emulator.requests().filter(isPost)).toHaveLength(1);
}

it('customTimeouts end a create in state, and the next up resumes', async () => {
  const program = await startYaml();
  const { stack, emulator, declare } = program;
  await declare({}, { options: { customTimeouts: { create: '2s' } } });
  const fault = emulator.inject(hanging);
  const { exitCode, screen } = await stack.try('up', '--yes', '--skip-preview');
  expect(exitCode).not.toBe(0);
  expect(flat(screen)).toMatch(/still waiting for start_compute [-0-9a-f]{36} running after 2 s/);
  expect(flat(screen)).toContain('The resource option `customTimeouts` sets how long that may take');
  await expectResumed(program, fault);
});

it('timeouts of the TypeScript class reach the provider plugin', async () => {
  const args = 'timeouts: { create: 1 }';
  const { stack, emulator } = await startProgram(args, { importPath: 'pulumi-postgres-compute/plugin' });
  emulator.inject(hanging);
  const { screen } = await stack.try('up', '--yes', '--skip-preview');
  expect(flat(screen)).toMatch(/still waiting for start_compute [-0-9a-f]{36} running after 1 s/);
});

it('Ctrl-C ends an up at once, and the next up resumes', async () => {
  const program = await startYaml();
  const { stack, emulator, held } = program;
  const fault = emulator.inject(hanging);
  const command = await start(program);
  await expect.poll(() => held().length).toBe(1);
  expect(await interrupt(command)).toMatch(
    /create of endpoint ep-\S+: interrupted while waiting for start_compute/,
  );
  expect(await waitForHosts(stack)).toEqual([]);
  await expectResumed(program, fault);
});

it.each([
  ['YAML', () => startYaml()],
  ['TypeScript', () => startProgram('', { importPath: 'pulumi-postgres-compute/plugin' })],
] as const)(
  'after a kill -9 of the CLI, the provider plugin of a %s program ends, and the next up finds its endpoint',
  async (_language, startProgramOf) => {
    const program = await startProgramOf();
    const { stack, emulator } = program;
    const fault = emulator.inject(hanging);
    const { command, ended } = await start(program);
    expect(await findHosts(stack)).not.toEqual([]);
    command.kill('SIGKILL');
    await ended;
    expect(await waitForHosts(stack)).toEqual([]);
    fault.clear();
    await stack.run('cancel', '--yes');
    await stack.run('up', '--yes', '--skip-preview');
    await expectComplete(program);
  },
);
