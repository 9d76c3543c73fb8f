import { describe, expect, it } from 'vitest';
import { doorNames } from '../support/program-doors';
import { flat } from '../support/pulumi-stack';
import { startProgram } from '../support/start-stack';

const size = (maxCu: number) => ({ autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: maxCu });
const up = ['up', '--yes', '--skip-preview'];

describe.each(doorNames)('by the %s provider', (door) => {
  const { mark, key, declared } = {
    dynamic: {
      mark: '~autoscalingLimitMaxCu,restartOnChange',
      key: 'postgresCompute:allowRestart',
      declared: { sourcePosition: expect.stringMatching(/index\.ts#\d+,\d+$/) },
    },
    // YAML does not say where.
    plugin: { mark: '+restartsCompute~autoscaling', key: 'postgres-compute:allowRestart', declared: {} },
  }[door];

  it('an endpoint lives from its creation to its end', async () => {
    const { stack, emulator, held, writes, declare, typeToken } = await startProgram(door, size(1));
    const planned = await stack.run('preview');
    expect(planned.screen).toMatch(new RegExp(`\\+ +${typeToken} app create`));
    expect(held()).toEqual([]);

    const created = await stack.run(...up);
    const [{ id = '', host = '' } = {}] = held();
    expect(held()).toMatchObject([{ current_state: 'active', autoscaling_limit_max_cu: 1 }]);
    expect(created.screen).toContain(`"${host}"`);

    await declare({ ...size(1), suspendTimeoutSeconds: 600 });
    const before = emulator.requests().length;
    expect((await stack.run('preview')).screen).not.toContain('warning');
    expect(emulator.requests()).toHaveLength(before);
    await stack.run(...up);
    expect(held()).toMatchObject([{ id, suspend_timeout_seconds: 600 }]);
    expect(emulator.restarts(id)).toBe(0);

    const grown = { ...size(2), suspendTimeoutSeconds: 600 };
    await declare(grown);
    const preview = flat((await stack.run('preview')).screen);
    expect(preview).toContain(`[diff: ${mark}`);
    const warning = 'restarts the compute, drops connections (active now): max 1 => 2 CU';
    expect(preview).toContain(`ComputeEndpoint (app): warning: ${warning}`);
    const sent = writes().length;
    const refusal = async (...command: string[]) => {
      const { exitCode, screen } = await stack.try(...command);
      expect(exitCode).not.toBe(0);
      expect(screen).not.toMatch(/ at .*\.js:\d+/);
      expect(flat(screen)).toContain('allowRestart is false, and this restarts the compute');
      return flat(screen);
    };
    await declare({ ...grown, allowRestart: false });
    await refusal(...up);
    await declare(grown);
    await stack.setConfig({ [key]: 'false' });
    expect(await refusal('preview')).toContain(`\`pulumi config set ${key} true\``);
    expect(writes()).toHaveLength(sent);

    await stack.setConfig({ [key]: 'true' });
    await stack.run(...up);
    expect(held()).toMatchObject([{ id, current_state: 'active', autoscaling_limit_max_cu: 2 }]);
    expect(emulator.restarts(id)).toBe(1);

    await stack.run('preview', '--expect-no-changes');
    await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
    const { endpoints } = await stack.exportState();
    const outputs = { host, maxConnections: 112 };
    expect(endpoints).toMatchObject([{ id, type: typeToken, outputs, ...declared }]);
    await stack.run('destroy', '--yes', '--skip-preview');
    expect(held()).toEqual([]);
  });
});

it('a refresh shows drift, and up --refresh restores the values', async () => {
  const { stack, emulator, held } = await startProgram('plugin', {
    ...size(1),
    suspendTimeoutSeconds: 600,
    allowRestart: false,
  });
  await stack.run(...up);
  const [{ id = '' } = {}] = held();
  emulator.changeEndpoint(id, { suspend_timeout_seconds: 3600, autoscaling_limit_max_cu: 4 });
  const { screen } = await stack.run('refresh', '--preview-only', '--diff');
  expect(screen).toMatch(/~ autoscalingLimitMaxCu\s*: 1 => 4/);
  expect(screen).not.toMatch(/warning|restartsCompute/);
  const gated = await stack.try('preview', '--refresh');
  expect(flat(gated.screen)).toContain('allowRestart is false, and this restarts the compute');

  emulator.changeEndpoint(id, { autoscaling_limit_max_cu: 1 });
  await stack.run(...up, '--refresh');
  expect(held()).toMatchObject([{ id, autoscaling_limit_max_cu: 1, suspend_timeout_seconds: 600 }]);
  emulator.deleteEndpoint(id);
  await stack.run(...up, '--refresh');
  expect((await stack.exportState()).endpoints.map((resource) => resource.id)).toEqual([held()[0]?.id]);
});
