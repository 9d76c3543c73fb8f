import { expect, it } from 'vitest';
import { flat } from '../support/pulumi-stack';
import { startProgram, startYaml } from '../support/start-stack';

const urn = 'urn:pulumi:test::e2e::postgres-compute:index:ComputeEndpoint::app';
const deletesFirst = { options: { deleteBeforeReplace: true } };

type Stack = Awaited<ReturnType<typeof startYaml>>;

/** The ids that the state holds, and those that the service has. */
async function idsOf({ stack, held }: Pick<Stack, 'stack' | 'held'>) {
  const inState = (await stack.exportState()).endpoints.map(({ id }) => id);
  return { inState, held: held().map(({ id }) => id) };
}

it('the plugin deletes first in each kind of replacement', async () => {
  const program = await startYaml({ name: 'main' });
  const { stack, emulator, held, declare } = program;
  await declare({ name: 'main' }, deletesFirst);
  await stack.run('up', '--yes', '--skip-preview');
  const seen = new Set([held()[0]?.id]);
  const expectNew = async () => {
    const ids = await idsOf(program);
    expect(ids.held).toHaveLength(1);
    expect(ids.inState).toEqual(ids.held);
    expect(seen).not.toContain(ids.held[0]);
    seen.add(ids.held[0]);
  };

  await declare({ name: 'main', provisioner: 'k8s-pod' });
  expect((await stack.previewStep())?.op).toBe('replace');
  await stack.run('up', '--yes', '--skip-preview');
  await expectNew();

  await declare({ name: 'main', provisioner: 'k8s-pod' }, deletesFirst);
  await stack.run('up', '--yes', '--skip-preview', '--replace', urn);
  await expectNew();

  const replaceOnChanges = {
    options: { ...deletesFirst.options, replaceOnChanges: ['suspendTimeoutSeconds'] },
  };
  await declare({ name: 'main', provisioner: 'k8s-pod', suspendTimeoutSeconds: 900 }, replaceOnChanges);
  expect((await stack.previewStep())?.op).toBe('replace');
  await stack.run('up', '--yes', '--skip-preview');
  await expectNew();
  expect(held()).toMatchObject([{ name: 'main', suspend_timeout_seconds: 900 }]);

  const writes = emulator.requests().filter(({ method }) => ['POST', 'DELETE'].includes(method));
  expect(writes.map(({ method }) => method)).toEqual(['POST', ...Array(3).fill(['DELETE', 'POST']).flat()]);
  await stack.run('preview', '--expect-no-changes');
});

it('a YAML program without deleteBeforeReplace keeps its endpoint', async () => {
  const program = await startYaml();
  const { stack, held } = program;
  await stack.run('up', '--yes', '--skip-preview');
  const [{ id = '' } = {}] = held();
  const { screen } = await stack.run('up', '--yes', '--skip-preview', '--replace', urn);
  expect(flat(screen)).toContain(
    `warning: endpoint ${id} was not deleted: ${urn} took it over in this update`,
  );
  expect(await idsOf(program)).toEqual({ inState: [id], held: [id] });
  await stack.run('preview', '--expect-no-changes');
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(held()).toEqual([]);
});

it("the plugin's TypeScript class deletes first, unless told otherwise", async () => {
  const program = await startProgram("type: 'read_only'", { importPath: 'pulumi-postgres-compute/plugin' });
  const { stack, held } = program;
  await stack.run('up', '--yes', '--skip-preview');
  const [{ id: first = '' } = {}] = held();
  await stack.run('up', '--yes', '--skip-preview', '--replace', urn);
  const [{ id: second = '' } = {}] = held();
  expect(second).not.toBe(first);
  expect(await idsOf(program)).toEqual({ inState: [second], held: [second] });

  await program.declare("type: 'read_only'", { options: '{ deleteBeforeReplace: false }' });
  const kept = await stack.run('up', '--yes', '--skip-preview', '--replace', urn);
  expect(flat(kept.screen)).toContain(`warning: endpoint ${second} was not deleted`);
  expect(await idsOf(program)).toEqual({ inState: [second], held: [second] });

  const declared = "type: 'read_only', provisioner: 'k8s-pod'";
  await program.declare(declared, { options: '{ deleteBeforeReplace: false }' });
  await stack.run('up', '--yes', '--skip-preview');
  const { inState, held: ids } = await idsOf(program);
  expect(ids).toHaveLength(1);
  expect(inState).toEqual(ids);
  expect(ids).not.toContain(second);
});
