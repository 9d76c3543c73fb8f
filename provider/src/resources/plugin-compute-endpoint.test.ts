import * as pulumi from '@pulumi/pulumi';
import { beforeEach, expect, it, vi } from 'vitest';
import { version } from '../../package.json';
import { ComputeEndpoint, Provider } from '../plugin-index';
import { ComputeEndpoint as DynamicEndpoint } from './compute-endpoint';

/** The inputs that the program registered with the engine, and the requests that carried them. */
let registered: pulumi.runtime.MockResourceArgs[];
let requests: {
  version: string;
  deletebeforereplace: boolean;
  customtimeouts?: object;
  aliasesList: object[];
  sourceposition?: object;
  inputs?: object | undefined;
}[];

const args = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' } as const;

async function startProgram(organization?: string): Promise<void> {
  registered = [];
  requests = [];
  const mocks: pulumi.runtime.Mocks = {
    newResource: (resource) => {
      registered.push(resource);
      return { id: resource.id || 'ep-1', state: { ...resource.inputs, host: 'ep-1.region.example' } };
    },
    call: () => ({}),
  };
  await pulumi.runtime.setMocks(mocks, 'shop', 'prod', false, organization);
  const monitor = pulumi.runtime.getMonitor();
  if (!monitor) throw new Error('The program has no engine.');
  const register = monitor.registerResource.bind(monitor);
  vi.spyOn(monitor, 'registerResource').mockImplementation((request, ...rest) => {
    requests.push({ ...request.toObject(), inputs: request.getObject()?.toJavaScript() });
    return register(request, ...rest);
  });
}

const settled = (resource: pulumi.Resource) => new Promise((resolve) => resource.urn.apply(resolve));

beforeEach(() => startProgram());

it('a ComputeEndpoint of the plugin registers its arguments alone', async () => {
  await settled(new ComputeEndpoint('api', { ...args, suspendTimeoutSeconds: 600 }));
  expect(registered).toMatchObject([
    { type: 'postgres-compute:index:ComputeEndpoint', inputs: { ...args, suspendTimeoutSeconds: 600 } },
  ]);
  expect(requests).toMatchObject([{ version, deletebeforereplace: true }]);
  expect(Object.keys(registered[0]?.inputs).filter((name) => name.startsWith('__'))).toEqual([]);
});

it.each([
  [ComputeEndpoint, 'pulumi-nodejs:dynamic/postgres:ComputeEndpoint'],
  [DynamicEndpoint, 'postgres-compute:index:ComputeEndpoint'],
])("adds the other adapter's type to the aliases of the program", async (Endpoint, type) => {
  await settled(new Endpoint('api', args, { aliases: [{ name: 'old' }] }));
  expect(requests[0]?.aliasesList).toMatchObject([
    { spec: { name: 'old' } },
    { spec: { type } },
    { spec: { name: 'old', type } },
  ]);
});

it('registers the line of the program as its source position', async () => {
  // The SDK recognises only lines of named functions.
  const declareEndpoint = () => new ComputeEndpoint('api', args);
  await settled(declareEndpoint());
  expect(requests[0]?.sourceposition).toMatchObject({ uri: expect.stringMatching(/\.test\.ts$/) });
});

it('turns timeouts into customTimeouts, unless the option is given', async () => {
  await settled(
    new ComputeEndpoint('api', {
      ...args,
      timeouts: { create: 900, update: undefined as unknown as number, delete: 0.5 },
    }),
  );
  await settled(
    new ComputeEndpoint(
      'b',
      { ...args, timeouts: { create: 900, update: 60 } },
      { customTimeouts: { create: '5m' } },
    ),
  );
  expect(requests).toMatchObject([
    { customtimeouts: { create: '900s', pb_delete: '0.5s' } },
    { customtimeouts: { create: '5m', update: '60s' } },
  ]);
  expect(registered[0]?.inputs).not.toHaveProperty('timeouts');
});

it.each([
  ['an output', { create: pulumi.output(900) }, 'timeouts must be plain numbers of seconds'],
  ['a promise', Promise.resolve({ create: 900 }), 'timeouts must be plain numbers of seconds'],
  ['zero', { create: 0 }, 'timeouts: create must be a number of seconds above 0, at most 86400'],
])('refuses timeouts with %s', (_what, timeouts, message) => {
  expect(() => new ComputeEndpoint('api', { ...args, timeouts })).toThrow(message);
});

it('passes on the organization and deleteBeforeReplace: false', async () => {
  await startProgram('acme');
  await settled(new ComputeEndpoint('api', args, { deleteBeforeReplace: false }));
  expect(registered[0]?.inputs).toMatchObject({ __organization: 'acme', __createsBeforeDelete: true });
});

it('ComputeEndpoint.get looks an endpoint up, by the class of the plugin', async () => {
  const endpoint = ComputeEndpoint.get('found', { projectId: 'p-1', endpointId: 'ep-9' });
  await settled(endpoint);
  expect(endpoint).toBeInstanceOf(ComputeEndpoint);
  expect(registered).toMatchObject([{ type: 'postgres-compute:index:ComputeEndpoint', id: 'ep-9' }]);
});

it('a Provider marks its key as a secret', async () => {
  await settled(new Provider('second', { apiKey: 'canary', requestsPerMinute: 350 }));
  expect(registered).toMatchObject([{ type: 'pulumi:providers:postgres-compute' }]);
  expect(requests[0]?.inputs).toMatchObject({
    apiKey: { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' },
  });
});
