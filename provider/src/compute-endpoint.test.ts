import * as pulumi from '@pulumi/pulumi';
import { beforeEach, describe, expect, it } from 'vitest';
import { ComputeEndpoint } from './compute-endpoint';
import { typeToken } from './provider-text';

/** What the program asked the engine for. */
let declared: pulumi.runtime.MockResourceArgs[];

const args = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' } as const;

beforeEach(async () => {
  declared = [];
  pulumi.runtime.setAllConfig({});
  await pulumi.runtime.setMocks(
    {
      newResource: (resource) => {
        declared.push(resource);
        const host = 'ep-1.region.example';
        return { id: resource.id || 'ep-1', state: { ...resource.inputs, host, maxConnections: 112 } };
      },
      call: () => ({}),
    },
    'shop',
    'prod',
  );
});

function valueIn<Value>(output: pulumi.Output<Value>): Promise<Value> {
  return new Promise((resolve) => {
    output.apply(resolve);
  });
}

function thrownBy(work: () => unknown): Error | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return undefined;
}

describe('a ComputeEndpoint', () => {
  it('asks the engine for what is declared and for nothing else', async () => {
    const endpoint = new ComputeEndpoint('api', { ...args, suspendTimeoutSeconds: 600 });
    await valueIn(endpoint.urn);
    const { __provider, __urn, ...inputs } = declared[0]?.inputs ?? {};
    expect(inputs).toEqual({ ...args, suspendTimeoutSeconds: 600 });
    expect(declared).toMatchObject([{ type: typeToken, name: 'api', custom: true }]);
  });

  it('has the outputs that the engine fills, and the arguments among them', async () => {
    const endpoint = new ComputeEndpoint('api', args);
    const { host, maxConnections, branchId, poolerHost } = endpoint;
    expect(await valueIn(pulumi.all([host, maxConnections, branchId]))).toEqual([
      'ep-1.region.example',
      112,
      'br-1',
    ]);
    // As long as the engine has not said it, it is there and holds nothing.
    expect(await valueIn(poolerHost)).toBeUndefined();
  });

  it('tells the provider its URN, by which messages find its row', async () => {
    const endpoint = new ComputeEndpoint('api', args);
    expect(await valueIn(endpoint.urn)).toBe(`urn:pulumi:prod::shop::${typeToken}::api`);
    expect(declared[0]?.inputs.__urn).toBe(await valueIn(endpoint.urn));
  });

  it('tells the provider the URN that it has below a component', async () => {
    const parent = new pulumi.ComponentResource('shop:index:Database', 'main');
    const endpoint = new ComputeEndpoint('api', args, { parent });
    await valueIn(endpoint.urn);
    const own = declared.find(({ type }) => type === typeToken);
    expect(own?.inputs.__urn).toBe(`urn:pulumi:prod::shop::shop:index:Database$${typeToken}::api`);
  });

  it('that the SDK refuses leads to the line of the program, and stack traces are as they were', () => {
    const limit = Error.stackTraceLimit;
    const reason = thrownBy(() => new ComputeEndpoint('', args));
    expect(reason?.stack?.split('\n')[1]).toContain('compute-endpoint.test.ts');
    expect(reason?.message).toContain('Missing resource name');
    expect(Error.stackTraceLimit).toBe(limit);
  });

  it('leaves stack traces as they were', () => {
    const limit = Error.stackTraceLimit;
    new ComputeEndpoint('api', args);
    expect(Error.stackTraceLimit).toBe(limit);
  });

  it('names in state the package that runs it, and carries no code', async () => {
    await valueIn(new ComputeEndpoint('api', args).urn);
    expect(declared[0]?.inputs.__provider).toBe(
      'exports.handler=()=>require("pulumi-postgres-compute/runtime").provider',
    );
  });
});

describe('what the provider is told besides', () => {
  it('is that the program creates the new endpoint before it deletes the old one', async () => {
    await valueIn(new ComputeEndpoint('first', args).urn);
    await valueIn(new ComputeEndpoint('second', args, { deleteBeforeReplace: false }).urn);
    expect(declared.map(({ inputs }) => inputs.__createsBeforeDelete)).toEqual([undefined, true]);
  });

  it('are the names of the arguments that are secrets', async () => {
    const branchId = pulumi.secret('br-1');
    const name = pulumi.output('api');
    await valueIn(new ComputeEndpoint('api', { ...args, branchId, name }).urn);
    expect(declared[0]?.inputs.__secrets).toEqual(['branchId']);
  });

  it('is the organization, unless it is the default one', async () => {
    const runtime = pulumi.runtime as unknown as { _setOrganization(name: string): void };
    runtime._setOrganization('acme');
    await valueIn(new ComputeEndpoint('first', args).urn);
    runtime._setOrganization('organization');
    await valueIn(new ComputeEndpoint('second', args).urn);
    expect(declared.map(({ inputs }) => inputs.__organization)).toEqual(['acme', undefined]);
  });
});

describe('ComputeEndpoint.get', () => {
  it('reads the endpoint of that id, and declares nothing of it', async () => {
    const endpoint = ComputeEndpoint.get('shared', { projectId: 'p-1', endpointId: 'ep-shared-1' });
    expect(await valueIn(endpoint.id)).toBe('ep-shared-1');
    const { __provider, __urn, ...inputs } = declared[0]?.inputs ?? {};
    expect(declared).toMatchObject([{ type: typeToken, name: 'shared', id: 'ep-shared-1' }]);
    expect(inputs).toEqual({ projectId: 'p-1' });
  });
});

describe('the key in the config of the stack', () => {
  const config = { 'postgresCompute:apiKey': 'canary-key' };

  it('is refused when Pulumi would keep it readable, without being repeated', () => {
    pulumi.runtime.setAllConfig(config);
    const declare = () => new ComputeEndpoint('api', args);
    expect(declare).toThrow(pulumi.RunError);
    expect(declare).toThrow(
      /^postgresCompute:apiKey is not a secret .* config set --secret postgresCompute:apiKey/,
    );
    expect(declare).not.toThrow(/canary-key/);
  });

  it('is fine as a secret', async () => {
    pulumi.runtime.setAllConfig(config, Object.keys(config));
    await valueIn(new ComputeEndpoint('api', args).urn);
    expect(declared).toHaveLength(1);
    expect(JSON.stringify(declared)).not.toContain('canary-key');
  });
});
