import { describe, expect, it } from 'vitest';
import type { StoredInputs } from '../../provider/src/dynamic/stored-properties';
import { collectDiagnostics } from '../support/diagnostics';
import { runCreate } from '../support/engine';
import { outcomeOf } from '../support/failure';
import { idsOf, type Service, startService, urnOf } from '../support/start-service';

const shown = collectDiagnostics();

const size = { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 0.25 };
const yearMs = 365 * 24 * 60 * 60 * 1_000;

function createForeign(
  { emulator, project, branch }: Service,
  name: string,
  type: 'read_write' | 'read_only',
) {
  const attributes = { branch_id: branch.id, type, name, ...size };
  return emulator.createEndpoint(project.id, attributes, { ageMs: yearMs });
}

describe('an unmanaged endpoint with the declared name', () => {
  it.each(['read_write', 'read_only'] as const)(
    'is not taken over by a create of a %s endpoint',
    async (type) => {
      const service = await startService();
      const foreign = createForeign(service, 'api', type);
      await expect(
        runCreate(service.startProvider(), service.declare({ name: 'api', type })),
      ).rejects.toThrow(
        new RegExp(
          `already has an endpoint of that name, ${foreign.id} .*since 20.*adopt: true takes it over`,
        ),
      );
      expect(service.emulator.endpoints().find(({ id }) => id === foreign.id)).toEqual(foreign);
    },
  );

  it('is reported by the preview, with its creation time', async () => {
    const service = await startService();
    const foreign = createForeign(service, 'api', 'read_only');
    const inputs = service.declare({ name: 'api', type: 'read_only' });
    expect((await service.startProvider().check({}, { ...inputs })).failures).toEqual([]);
    expect(shown.join('')).toContain(
      `${foreign.id} (read_only, branch ${service.branch.id}, since ${foreign.created_at})`,
    );
  });

  it('is taken over with adopt: true', async () => {
    const service = await startService();
    const foreign = createForeign(service, 'api', 'read_only');
    const inputs = service.declare({ name: 'api', type: 'read_only', adopt: true });
    const { id } = await runCreate(service.startProvider(), inputs);
    expect(id).toBe(foreign.id);
    expect(shown.join('')).toContain(`adopt takes over endpoint ${foreign.id} (since ${foreign.created_at})`);
  });

  it('of the same name on another branch is not adopted', async () => {
    const service = await startService();
    await runCreate(service.provider, service.declare({ name: 'api' }));
    const other = service.emulator.createBranch(service.project.id, { name: 'other' });
    const inputs = service.declare({ name: 'api', branchId: other.id, adopt: true });
    await expect(service.startProvider().create(inputs)).rejects.toMatchObject({
      message: expect.stringMatching(/already has an endpoint of that name, ep-.*Choose another name\./),
    });
  });
});

describe('a preview of a new endpoint', () => {
  it('warns that the branch already has a read_write endpoint', async () => {
    const service = await startService();
    const foreign = createForeign(service, 'main', 'read_write');
    await service.startProvider().check({}, { ...service.declare() });
    expect(shown.join('')).toContain(
      `the branch already has a read_write endpoint: ${foreign.id} (since ${foreign.created_at})`,
    );
  });

  it('reports the endpoint that an earlier create left', async () => {
    const service = await startService();
    const { id } = await runCreate(service.startProvider(), service.declare());
    shown.length = 0;
    await service.startProvider().check({}, { ...service.declare() });
    expect(shown.join('')).toMatch(new RegExp(`endpoint ${id} .*\`pulumi up\` takes it over`));
  });

  it('makes one request for all new endpoints of a project', async () => {
    const service = await startService();
    const provider = service.startProvider();
    const names = ['a', 'b', 'c'];
    for (const name of names) await provider.check({}, { ...service.declare({ name, type: 'read_only' }) });
    expect(service.emulator.requests()).toHaveLength(1);
  });

  it('continues with one warning when the endpoints cannot be listed', async () => {
    const service = await startService();
    service.emulator.inject({ match: {}, times: 'always', effect: { kind: 'status', status: 403 } });
    const provider = service.startProvider();
    for (const name of ['a', 'b'])
      expect(
        (await provider.check({}, { ...service.declare({ name, type: 'read_only' }) })).failures,
      ).toEqual([]);
    expect(shown.filter((line) => line.includes('could not be listed'))).toHaveLength(1);
  });
});

describe('an endpoint whose create was killed', () => {
  it('before the rename is found by its derived name, and renamed', async () => {
    const service = await startService();
    const inputs = service.declare({ name: 'api' });
    const renaming = service.emulator.inject({
      match: { method: 'PATCH' },
      times: 'always',
      effect: { kind: 'status', status: 403 },
    });
    const failure = await service
      .startProvider()
      .create(inputs)
      .catch((error: unknown) => error);
    renaming.clear();
    const { id } = await runCreate(service.startProvider(), inputs);
    expect(failure).toMatchObject({ id });
    expect(service.emulator.endpoints().find((endpoint) => endpoint.id === id)?.name).toBe('api');
  });

  it('after the rename stops the next create, which suggests adopt: true', async () => {
    const service = await startService();
    const inputs = service.declare({ name: 'api' });
    const { id } = await runCreate(service.startProvider(), inputs);
    await expect(runCreate(service.startProvider(), inputs)).rejects.toThrow(
      /adopt: true takes it over \(also if an earlier `pulumi up` created it before it was killed\)/,
    );
    expect((await runCreate(service.startProvider(), { ...inputs, adopt: true })).id).toBe(id);
  });
});

it('a create on a branch that another endpoint leaves in the same update suggests dependsOn', async () => {
  const service = await startService();
  const first = service.declare({ name: 'first' });
  const state = await runCreate(service.startProvider(), first);
  const target = service.emulator.createBranch(service.project.id);
  const run = service.startProvider();
  const moved = { ...first, branchId: target.id };
  const { inputs } = await run.check({ ...state.inputs }, { ...moved });
  await run.diff(state.id, state.outs, inputs as typeof moved);
  await expect(run.create(service.declare({ name: 'second' }))).rejects.toThrow(
    /This update moves it to another branch: add its resource \(urn:\S+::first\) to `dependsOn`/,
  );
});

describe('an endpoint of another resource', () => {
  it('is not adopted by a new resource of the same run', async () => {
    const service = await startService();
    const app = service.declare({ __urn: urnOf('app') });
    const state = await runCreate(service.startProvider(), app);
    const run = service.startProvider();
    const first = await outcomeOf(run.create(service.declare({ __urn: urnOf('first'), adopt: true })));
    const { inputs } = await run.check({ ...state.inputs }, { ...app });
    const second = await outcomeOf(run.diff(state.id, state.outs, inputs as StoredInputs));
    expect([first, second].some((outcome) => outcome instanceof Error)).toBe(true);
  });
  it('is not moved to another branch by the same project, stack and resource name in another backend', async () => {
    const service = await startService();
    const { id } = await runCreate(service.startProvider(), service.declare());
    const { id: branchId } = service.emulator.createBranch(service.project.id);
    await outcomeOf(runCreate(service.startProvider(), service.declare({ branchId })));
    expect(idsOf(service)).toEqual([id]);
  });
});
