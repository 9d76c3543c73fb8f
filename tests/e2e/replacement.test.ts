import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { findHosts } from '../support/provider-hosts';
import { startProgram } from '../support/start-stack';

type Program = Awaited<ReturnType<typeof startProgram>>;

const heldOn = ({ emulator, branch }: Program) =>
  emulator.endpoints().filter(({ branch_id }) => branch_id === branch.id);

const urn = 'urn:pulumi:test::e2e::pulumi-nodejs:dynamic/postgres:ComputeEndpoint::app';

describe('a forced replacement', () => {
  it.for([
    ['of a replica with a derived name (--replace)', "type: 'read_only'", 'replace'],
    ['of a read_write endpoint with a declared name (taint)', "name: 'main'", 'taint'],
  ] as const)('%s creates a new endpoint and deletes the old one', async ([, args, how], { expect }) => {
    const program = await startProgram(args, { operationMs: 100 });
    const { stack } = program;
    await stack.run('up', '--yes', '--skip-preview');
    const [before] = heldOn(program);
    if (how === 'taint') await stack.run('state', 'taint', urn, '--yes');
    const forced = how === 'replace' ? ['--replace', urn] : [];
    await stack.run('up', '--yes', '--skip-preview', ...forced);
    const held = heldOn(program);
    expect(held).toHaveLength(1);
    expect(held[0]?.id).not.toBe(before?.id);
    expect((await stack.exportState()).endpoints.map(({ id }) => id)).toEqual([held[0]?.id]);
    await stack.run('preview', '--expect-no-changes');
  });
});

describe('an endpoint dropped in the replacement that its triggers follow', () => {
  const programOf = (
    importPath: string,
    type: string,
    isBoth: boolean,
  ) => `import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from '${importPath}';
const config = new pulumi.Config();
const place = { projectId: config.require('projectId'), branchId: config.require('branchId') };
const app = new ComputeEndpoint('app', { ...place, type: '${type}' });
${isBoth ? "new ComputeEndpoint('other', { ...place, type: 'read_only', restartTriggers: { of: app.host } });" : ''}
`;

  it.for(['pulumi-postgres-compute', 'pulumi-postgres-compute/plugin'] as const)(
    'is deleted: %s',
    async (importPath, { expect }) => {
      const program = await startProgram('', { operationMs: 100, importPath });
      const { stack } = program;
      await stack.writeProgram(programOf(importPath, 'read_only', true));
      await stack.run('up', '--yes', '--skip-preview');
      expect(heldOn(program)).toHaveLength(2);
      await stack.writeProgram(programOf(importPath, 'read_write', false));
      await stack.run('up', '--yes', '--skip-preview');
      expect(heldOn(program)).toMatchObject([{ type: 'read_write' }]);
    },
  );
});

it('the provider host exits after its CLI is killed', async ({ expect }) => {
  const program = await startProgram('', { operationMs: 60_000 });
  const { stack, emulator } = program;
  const command = stack.start('up', '--yes', '--skip-preview');
  const ended = command.catch(() => undefined);
  await expect
    .poll(() => emulator.requests().some(({ method }) => method === 'POST'), { timeout: 60_000 })
    .toBe(true);
  expect(await findHosts(stack)).not.toEqual([]);
  command.kill('SIGKILL');
  await ended;
  await sleep(2_000);
  expect(await findHosts(stack)).toEqual([]);
});
