import * as pulumi from '@pulumi/pulumi';
import { beforeAll, expect, it } from 'vitest';

const declared: pulumi.runtime.MockResourceArgs[] = [];

beforeAll(async () => {
  pulumi.runtime.setAllConfig({
    'shop:projectId': 'old-sun-1',
    'shop:branchId': 'br-calm-sea-1',
    'shop:maxCu': '2',
    'shop:suspendTimeoutSeconds': '300',
  });
  const mocks: pulumi.runtime.Mocks = {
    newResource: (resource) => {
      declared.push(resource);
      return { id: 'ep-dark-sea-1', state: { ...resource.inputs, host: 'ep-dark-sea-1.region.example' } };
    },
    // The program has no lookups. One, such as getBranch, has the token postgres-compute:index:getBranch.
    call: () => ({}),
  };
  await pulumi.runtime.setMocks(mocks, 'shop');
});

it('declares one endpoint at the configured size, and exports its host', async () => {
  const { host } = await import('./index.js');
  expect(await new Promise((resolve) => host.apply(resolve))).toBe('ep-dark-sea-1.region.example');
  expect(declared).toMatchObject([
    { name: 'app', inputs: { type: 'read_write', autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: 2 } },
  ]);
});
