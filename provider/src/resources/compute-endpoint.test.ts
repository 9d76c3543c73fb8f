import * as pulumi from '@pulumi/pulumi';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { dynamicEndpoint } from '../dynamic/provider-text';
import { Branch } from './branch';
import { ComputeEndpoint } from './compute-endpoint';

/** The resources that the program registered with the engine. */
let declared: pulumi.runtime.MockResourceArgs[];

const args = { projectId: 'p-1', branchId: 'br-1', type: 'read_write' } as const;

beforeEach(async () => {
  declared = [];
  pulumi.runtime.setAllConfig({});
  await startProgram();
});

/** Starts a program of stack `prod` of project `shop`, in the default organization of unit tests unless one is given. */
async function startProgram(organization?: string): Promise<void> {
  const mocks: pulumi.runtime.Mocks = {
    newResource: (resource) => {
      declared.push(resource);
      const host = 'ep-1.region.example';
      return { id: resource.id || 'ep-1', state: { ...resource.inputs, host, maxConnections: 112 } };
    },
    call: () => ({}),
  };
  await pulumi.runtime.setMocks(mocks, 'shop', 'prod', false, organization);
}

function valueIn<Value>(output: pulumi.Output<Value>): Promise<Value> {
  return new Promise((resolve) => {
    output.apply(resolve);
  });
}

/** The inputs with which the engine registered the resource. */
async function inputsOf(endpoint: ComputeEndpoint): Promise<Record<string, unknown>> {
  const urn = await valueIn(endpoint.urn);
  return declared.findLast(({ inputs }) => inputs.__urn === urn)?.inputs ?? {};
}

function thrownBy(work: () => unknown): Error | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  return undefined;
}

it.each([{ replaceOnChanges: ['name'] }, { customTimeouts: { create: '5m' } }, { import: 'ep-1' }])(
  'refuses %j, which would have no effect',
  (options) => {
    const refusal = `api: the resource option ${Object.keys(options)[0]} has no effect here: `;
    expect(thrownBy(() => new ComputeEndpoint('api', args, options))?.message).toContain(refusal);
    expect(thrownBy(() => new Branch('api', { projectId: 'p-1' }, options))?.message).toContain(refusal);
  },
);

it('refuses a setting of the stack that would be ignored', () => {
  pulumi.runtime.setAllConfig({ 'postgresCompute:allow_restart': 'false' });
  const refusal = 'postgresCompute:allow_restart in the config of this stack has no effect here';
  expect(thrownBy(() => new ComputeEndpoint('api', args))?.message).toContain(refusal);
  expect(thrownBy(() => new Branch('preview', { projectId: 'p-1' }))?.message).toContain(refusal);
});

describe('a ComputeEndpoint', () => {
  it('registers the declared arguments with the engine, and nothing else', async () => {
    const endpoint = new ComputeEndpoint('api', { ...args, suspendTimeoutSeconds: 600 });
    const { __provider, __urn, ...inputs } = await inputsOf(endpoint);
    expect(inputs).toEqual({ ...args, suspendTimeoutSeconds: 600 });
    expect(declared).toMatchObject([{ type: dynamicEndpoint.token, name: 'api', custom: true }]);
  });

  it('has the outputs that the engine fills, including the arguments', async () => {
    const endpoint = new ComputeEndpoint('api', args);
    const { host, maxConnections, branchId, poolerHost } = endpoint;
    expect(await valueIn(pulumi.all([host, maxConnections, branchId]))).toEqual([
      'ep-1.region.example',
      112,
      'br-1',
    ]);
    // Until the engine fills it, the output exists and is empty.
    expect(await valueIn(poolerHost)).toBeUndefined();
  });

  it('passes its URN to the provider, so that messages appear on its row', async () => {
    const { __urn: urn } = await inputsOf(new ComputeEndpoint('api', args));
    expect(urn).toBe(`urn:pulumi:prod::shop::${dynamicEndpoint.token}::api`);
  });

  it('passes its URN as the child of a component', async () => {
    const parent = new pulumi.ComponentResource('shop:index:Database', 'main');
    await valueIn(new ComputeEndpoint('api', args, { parent }).urn);
    const own = declared.find(({ type }) => type === dynamicEndpoint.token);
    expect(own?.inputs.__urn).toBe(
      `urn:pulumi:prod::shop::shop:index:Database$${dynamicEndpoint.token}::api`,
    );
  });

  it("names the program's line in an error of the SDK", () => {
    const limit = Error.stackTraceLimit;
    const reason = thrownBy(() => new ComputeEndpoint('', args));
    expect(reason?.stack?.split('\n')[1]).toContain('compute-endpoint.test.ts');
    expect(reason?.message).toContain('Missing resource name');
    expect(Error.stackTraceLimit).toBe(limit);
  });
});

describe('the order of a replacement', () => {
  /** Whether the engine deletes the old endpoint first, and what the provider receives about that. */
  async function orderOf(opts?: pulumi.CustomResourceOptions) {
    const monitor = pulumi.runtime.getMonitor();
    if (!monitor) throw new Error('The program has no engine.');
    const register = vi.spyOn(monitor, 'registerResource');
    const { __createsBeforeDelete } = await inputsOf(new ComputeEndpoint('api', args, opts));
    const request = register.mock.calls.at(-1)?.[0];
    return { deletesFirst: request?.getDeletebeforereplace(), __createsBeforeDelete };
  }

  it('is to delete first by default', async () => {
    expect(await orderOf()).toEqual({ deletesFirst: true });
    expect(await orderOf({ protect: true })).toEqual({ deletesFirst: true });
  });

  it('is to delete first with deleteBeforeReplace: true', async () => {
    expect(await orderOf({ deleteBeforeReplace: true })).toEqual({ deletesFirst: true });
  });

  it('is to create first with deleteBeforeReplace: false', async () => {
    const expected = { deletesFirst: false, __createsBeforeDelete: true };
    expect(await orderOf({ deleteBeforeReplace: false })).toEqual(expected);
  });
});

describe('the organization of a ComputeEndpoint', () => {
  const organizationOf = async (endpoint: ComputeEndpoint) => (await inputsOf(endpoint)).__organization;

  it('is passed to the provider', async () => {
    await startProgram('acme');
    expect(await organizationOf(new ComputeEndpoint('api', args))).toBe('acme');
  });

  it.each(['organization', undefined])('is omitted when it is the default one (%s)', async (organization) => {
    await startProgram(organization);
    expect(await inputsOf(new ComputeEndpoint('api', args))).not.toHaveProperty('__organization');
  });
});

describe('the secrets of a ComputeEndpoint', () => {
  const secretsOf = async (change: object) =>
    (await inputsOf(new ComputeEndpoint('api', { ...args, ...change }))).__secrets;

  it('are passed to the provider by the names of their arguments', async () => {
    const branchId = pulumi.secret('br-1');
    const provisioner = pulumi.secret('k8s-pod');
    expect(await secretsOf({ branchId, name: pulumi.output('api'), provisioner })).toEqual([
      'branchId',
      'provisioner',
    ]);
  });

  it('include a map with secret values once', async () => {
    const pgSettings = { work_mem: '4MB', a: pulumi.secret('canary'), b: pulumi.secret('canary') };
    expect(await secretsOf({ pgSettings, restartTriggers: { release: pulumi.output('1') } })).toEqual([
      'pgSettings',
    ]);
  });

  it('include a promise of a map with secret values', async () => {
    const restartTriggers = Promise.resolve({ password: pulumi.secret('canary') });
    expect(await secretsOf({ restartTriggers })).toEqual(['restartTriggers']);
  });

  it.each([
    ['no output', {}],
    ['no secret among its outputs', { name: pulumi.output('api') }],
  ])('are omitted when it has %s', async (_what, change) => {
    expect(await inputsOf(new ComputeEndpoint('api', { ...args, ...change }))).not.toHaveProperty(
      '__secrets',
    );
  });
});

describe('ComputeEndpoint.get', () => {
  it('reads the endpoint by its id, and declares only its project', async () => {
    const endpoint = ComputeEndpoint.get('shared', { projectId: 'p-1', endpointId: 'ep-shared-1' });
    expect(await valueIn(endpoint.id)).toBe('ep-shared-1');
    const { __provider, __urn, ...inputs } = declared[0]?.inputs ?? {};
    expect(declared).toMatchObject([{ type: dynamicEndpoint.token, name: 'shared', id: 'ep-shared-1' }]);
    expect(inputs).toEqual({ projectId: 'p-1' });
  });
});

describe("a key in the stack's config", () => {
  const config = { 'postgresCompute:apiKey': 'canary-key' };

  it('is refused in plain text, without being repeated', () => {
    pulumi.runtime.setAllConfig(config);
    const reason = thrownBy(() => new ComputeEndpoint('api', args));
    expect(reason).toBeInstanceOf(pulumi.RunError);
    expect(reason?.message).toBe(
      'postgresCompute:apiKey is not a secret in the config of this stack, so Pulumi would keep it readable in the state: set it again with `pulumi config set --secret postgresCompute:apiKey`.',
    );
  });

  it('is accepted as a secret, and is not passed to the engine', async () => {
    pulumi.runtime.setAllConfig(config, Object.keys(config));
    await valueIn(new ComputeEndpoint('api', args).urn);
    expect(declared).toHaveLength(1);
    expect(JSON.stringify(declared)).not.toContain('canary-key');
  });
});
