import { omit } from 'lodash';
import { expect, it } from 'vitest';
import { startProgram } from '../support/start-stack';

/** The same resource twice: with this package's short provider text, and with a provider that the SDK serializes. */
const program = `import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from 'pulumi-postgres-compute';
const config = new pulumi.Config();
const args = { projectId: config.require('projectId'), branchId: config.require('branchId'), type: 'read_only' as const };
const runtime = () => require('pulumi-postgres-compute/runtime').provider;
const provider: pulumi.dynamic.ResourceProvider = {
  check: (olds, news) => runtime().check(olds, news),
  diff: (id, olds, news) => runtime().diff(id, olds, news),
  create: (inputs) => runtime().create(inputs),
  read: (id, props) => runtime().read(id, props),
  update: (id, olds, news) => runtime().update(id, olds, news),
  delete: (id, props) => runtime().delete(id, props),
};
class Serialized extends pulumi.dynamic.Resource {
  constructor(name: string, props: object) {
    super(provider, name, { host: undefined, ...props }, {}, 'postgres', 'ComputeEndpoint');
  }
}
const delay = config.getNumber('delay') ?? 300;
new ComputeEndpoint('text', { ...args, name: 'text', suspendTimeoutSeconds: delay });
new Serialized('serialized', { ...args, name: 'serialized', suspendTimeoutSeconds: delay });
`;

it('the host runs the short provider text like a serialized provider', async () => {
  const { stack, emulator } = await startProgram();
  await stack.writeProgram(program);
  await stack.run('up', '--yes');
  await stack.run('config', 'set', 'delay', '600');
  await stack.run('up', '--yes');
  await stack.run('refresh', '--yes', '--expect-no-changes');
  const { endpoints } = await stack.exportState();
  const own = ['name', 'host', 'poolerHost', '__ledger.since', '__provider', '__urn'];
  const [left, right] = endpoints.map(({ type, outputs = {} }) => ({ type, outputs: omit(outputs, own) }));
  expect(left).toEqual(right);
  expect(left?.outputs).toMatchObject({ suspendTimeoutSeconds: 600 });
  await stack.run('destroy', '--yes');
  expect(emulator.endpoints().filter(({ type }) => type === 'read_only')).toEqual([]);
});
