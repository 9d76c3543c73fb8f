import { describe, expect, it } from 'vitest';
import { silenceDiagnostics } from '../../support/diagnostics';
import { runUp } from '../../support/door';
import { doors, startDoor } from '../../support/start-door';

silenceDiagnostics();

describe.each(doors)('a check by %s', (_name, door) => {
  it.each([
    ['type', { type: 'primary' }, 'must be read_write or read_only'],
    ['projectId', { projectId: 'No Project' }, 'must be the id of a project: 1 to 60 lower-case letters'],
    ['branchId', { branchId: undefined }, 'is required: it names the branch that the endpoint serves'],
    ['name', { name: '' }, 'must be 1 to 64 characters'],
    [
      'autoscalingLimitMinCu',
      { autoscalingLimitMinCu: 0.3 },
      'is not a size of the service: allowed are 0.25',
    ],
    ['autoscalingLimitMinCu', { autoscalingLimitMinCu: 4 }, 'must not be above autoscalingLimitMaxCu'],
    ['suspendTimeoutSeconds', { suspendTimeoutSeconds: 700_000 }, 'must be -1 (never), 0'],
    ['pgSettings', { pgSettings: { work_mem: 8 } }, 'work_mem must be text'],
    ['restartTriggers', { restartTriggers: 'release' }, 'must be a map of values whose change restarts'],
    ['poolerEnable', { poolerEnable: true }, 'is not an argument of a ComputeEndpoint; those are projectId'],
  ])('refuses a wrong %s without a request: %j', async (property, wrong, reason) => {
    const { startRun, declare, emulator } = await startDoor(door);
    const run = await startRun();
    const { failures } = await run.check(undefined, declare(wrong as object));
    expect(failures).toEqual([{ property, reason: expect.stringContaining(reason) }]);
    expect(emulator.requests()).toEqual([]);
  });

  it('derives a name for a resource without one, and later checks keep it', async () => {
    const { startRun, declare } = await startDoor(door);
    const first = await (await startRun()).check(undefined, declare());
    expect(first.inputs).toMatchObject({ name: expect.stringMatching(/^shop-test-api-[0-9a-f]{8}$/) });
    const again = await (await startRun()).check(first, declare({ suspendTimeoutSeconds: 60 }));
    expect(again.inputs).toMatchObject({ name: (first.inputs as { name: string }).name });
  });

  it('refuses a base URL without encryption to another machine', async () => {
    const { startRun, declare } = await startDoor(door);
    const run = await startRun({ baseUrl: 'http://service.example/api/v2' });
    const { failures } = await run.check(undefined, declare());
    expect(failures).toEqual([
      { property: '', reason: expect.stringContaining('uses http to service.example') },
    ]);
  });

  it('reads the key of the stack config rather than that of the environment', async () => {
    const { startRun, declare, held } = await startDoor(door);
    const wrong = await startRun({ apiKey: 'wrong' });
    await expect(runUp(wrong, declare())).rejects.toThrow(/401 Unauthorized/);
    expect(held()).toEqual([]);
  });
});
