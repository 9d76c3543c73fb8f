import { describe, expect, it } from 'vitest';
import { type DoorName, doorNames } from '../support/program-doors';
import { flat } from '../support/pulumi-stack';
import { startProgram } from '../support/start-stack';

const up = ['up', '--yes', '--skip-preview'];
const deletesFirst = { deleteBeforeReplace: true };

/** Starts a stack with one endpoint; `expectNew` checks that another one is in its place. */
async function startEndpoint(door: DoorName, args: object, options?: object) {
  const program = await startProgram(door, args, { options, operationMs: 100 });
  const { stack, held } = program;
  await stack.run(...up);
  const seen = new Set([held()[0]?.id]);
  const inState = async () => (await stack.exportState()).endpoints.map(({ id }) => id);
  const expectNew = async () => {
    const [{ id = '' } = {}, ...others] = held();
    expect([others, await inState()]).toEqual([[], [id]]);
    expect(seen).not.toContain(id);
    seen.add(id);
  };
  return { ...program, urn: program.urnOf('app'), inState, expectNew };
}

// The classes set the option unless the program does: plugin-compute-endpoint.test.ts.
describe.each(doorNames)('by the %s provider', (door) => {
  it('each kind of replacement deletes the old endpoint first', async () => {
    const { stack, held, writes, declare, urn, expectNew } = await startEndpoint(
      door,
      { name: 'main' },
      deletesFirst,
    );
    await declare({ name: 'main', provisioner: 'k8s-pod' });
    const { screen } = await stack.run(...up);
    expect(flat(screen)).toMatch(/warning: replaces the endpoint, changes its host, drops connections/);
    await expectNew();

    await declare({ name: 'main', provisioner: 'k8s-pod' }, deletesFirst);
    await stack.run(...up, '--replace', urn);
    await expectNew();

    // It has no effect on a dynamic resource.
    if (door === 'plugin') {
      const options = { ...deletesFirst, replaceOnChanges: ['suspendTimeoutSeconds'] };
      await declare({ name: 'main', provisioner: 'k8s-pod', suspendTimeoutSeconds: 900 }, options);
      await stack.run(...up);
      await expectNew();
      expect(held()).toMatchObject([{ name: 'main', suspend_timeout_seconds: 900 }]);
    }
    const methods = writes().flatMap(({ method }) => (method === 'PATCH' ? [] : [method]));
    const replacements = door === 'plugin' ? 3 : 2;
    expect(methods).toEqual(['POST', ...Array(replacements).fill(['DELETE', 'POST']).flat()]);
  });
});

it('a YAML program without deleteBeforeReplace keeps its endpoint', async () => {
  const { stack, held, urn, inState } = await startEndpoint('plugin', {});
  const [{ id = '' } = {}] = held();
  const { screen } = await stack.run(...up, '--replace', urn);
  expect(flat(screen)).toContain(`warning: endpoint ${id} was not deleted: ${urn} has it now`);
  expect([await inState(), held()]).toMatchObject([[id], [{ id }]]);
  await stack.run('preview', '--expect-no-changes');
});
