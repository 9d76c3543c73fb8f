import { expect, it } from 'vitest';
import { flat } from '../support/pulumi-stack';
import { sendRequest } from '../support/send-request';
import { startYaml, yamlValue } from '../support/start-stack';

const size = (maxCu: number) => ({ autoscalingLimitMinCu: 0.25, autoscalingLimitMaxCu: maxCu });

/** The lines of the row of `app`. */
const rows = (screen: string) => screen.split('\n').filter((line) => /ComputeEndpoint app /.test(line));

it('a YAML program runs the whole life of one endpoint', async () => {
  const { stack, emulator, held, declare } = await startYaml(size(1), { operationMs: 600 });
  const planned = await stack.run('preview');
  expect(planned.screen).toMatch(/\+ +postgres-compute:index:ComputeEndpoint app create/);
  expect(held()).toEqual([]);

  const outputs = { host: yamlValue('app.host'), poolerHost: yamlValue('app.poolerHost') };
  await declare(size(1), { outputs });
  const created = await stack.run('up', '--yes', '--skip-preview');
  const [endpoint] = held();
  expect(endpoint).toMatchObject({ current_state: 'active', autoscaling_limit_max_cu: 1 });
  expect(created.screen).toContain(`"${endpoint?.host}"`);
  expect(created.screen).toContain(`"${endpoint?.host.replace('.', '-pooler.')}"`);
  expect(rows(created.screen).join('\n')).toMatch(/creating.*start_compute, 1 of 1/);

  await declare({ ...size(1), suspendTimeoutSeconds: 600 }, { outputs });
  const updated = await stack.run('up', '--yes', '--skip-preview');
  expect(rows(updated.screen).join('\n')).toContain('updated');
  expect(held()).toMatchObject([{ id: endpoint?.id, suspend_timeout_seconds: 600 }]);
  expect(emulator.restarts(endpoint?.id ?? '')).toBe(0);

  await declare({ ...size(2), suspendTimeoutSeconds: 600 }, { outputs });
  const { screen } = await stack.run('preview');
  expect(rows(screen).join('\n')).toMatch(
    /~ .* app update .*\[diff: \+restartsCompute~autoscalingLimitMaxCu\]/,
  );
  expect(held()).toMatchObject([{ autoscaling_limit_max_cu: 1 }]);
  const resized = await stack.run('up', '--yes', '--skip-preview');
  expect(rows(resized.screen).join('\n')).toMatch(/updating.*start_compute, 3 of 3/);
  expect(held()).toMatchObject([{ id: endpoint?.id, current_state: 'active', autoscaling_limit_max_cu: 2 }]);
  expect(emulator.restarts(endpoint?.id ?? '')).toBe(1);

  await stack.run('preview', '--expect-no-changes');
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  const { endpoints } = await stack.exportState();
  expect(endpoints).toMatchObject([
    { id: endpoint?.id, type: 'postgres-compute:index:ComputeEndpoint', outputs: { maxConnections: 112 } },
  ]);
  await stack.run('destroy', '--yes', '--skip-preview');
  expect(held()).toEqual([]);
});

it('a preview marks restartsCompute exactly for a restart', async () => {
  const { stack, emulator, held, declare } = await startYaml(size(1));
  await stack.run('up', '--yes', '--skip-preview');
  const [{ id = '', project_id: projectId = '' } = {}] = held();
  const preview = async (changed: object) => {
    await declare(changed);
    return Object.keys((await stack.previewStep())?.detailedDiff ?? {}).sort();
  };
  expect(await preview(size(2))).toEqual(['autoscalingLimitMaxCu', 'restartsCompute']);
  expect(await preview({ ...size(1), restartTriggers: { release: '1' } })).toEqual([
    'restartTriggers',
    'restartsCompute',
  ]);
  expect(await preview({ ...size(1), name: 'renamed' })).toEqual(['name']);
  expect(await preview({ ...size(2), provisioner: 'k8s-pod' })).toEqual([
    'autoscalingLimitMaxCu',
    'provisioner',
  ]);
  await suspend({ emulator, held }, projectId, id);
  expect(await preview(size(2))).toEqual(['autoscalingLimitMaxCu']);
  expect((await stack.run('preview')).screen).toContain('no connections to drop (idle now)');
});

async function suspend(
  { emulator, held }: Pick<Awaited<ReturnType<typeof startYaml>>, 'emulator' | 'held'>,
  projectId: string,
  id: string,
): Promise<void> {
  await sendRequest(emulator, 'POST', `/projects/${projectId}/endpoints/${id}/suspend`);
  await expect.poll(() => held()[0]?.current_state).toBe('idle');
}

it('allowRestart: false in the stack config stops a restart', async () => {
  const { stack, emulator, declare } = await startYaml(size(1));
  await stack.run('up', '--yes', '--skip-preview');
  await stack.run('config', 'set', 'postgres-compute:allowRestart', 'false');
  await declare(size(2));
  for (const words of [['preview'], ['up', '--yes', '--skip-preview']]) {
    const { exitCode, screen } = await stack.try(...words);
    expect(exitCode).not.toBe(0);
    expect(flat(screen)).toContain('allowRestart is false, and this restarts the compute');
    expect(flat(screen)).toContain('`pulumi config set postgres-compute:allowRestart true`');
  }
  expect(emulator.requests().filter(({ method }) => method === 'PATCH')).toEqual([]);
  await declare({ ...size(2), allowRestart: true });
  await stack.run('up', '--yes', '--skip-preview');
  expect(emulator.requests().filter(({ method }) => method === 'PATCH')).toHaveLength(1);
});

it('a refresh shows drift, and up --refresh restores the values', async () => {
  const { stack, emulator, held } = await startYaml({ ...size(1), allowRestart: false });
  await stack.run('up', '--yes', '--skip-preview');
  const [{ id = '' } = {}] = held();
  emulator.changeEndpoint(id, { suspend_timeout_seconds: 60, autoscaling_limit_max_cu: 4 });
  const { screen } = await stack.run('refresh', '--preview-only', '--diff');
  expect(screen).toMatch(/~ autoscalingLimitMaxCu\s*: 1 => 4/);
  expect(screen).not.toMatch(/warning|restartsCompute/);
  expect((await stack.try('refresh', '--yes', '--expect-no-changes')).exitCode).not.toBe(0);
  const gated = await stack.try('preview', '--refresh');
  expect(flat(gated.screen)).toContain('allowRestart is false, and this restarts the compute');

  emulator.changeEndpoint(id, { autoscaling_limit_max_cu: 1 });
  await stack.run('up', '--yes', '--skip-preview', '--refresh');
  expect(held()).toMatchObject([{ id, autoscaling_limit_max_cu: 1 }]);
  emulator.deleteEndpoint(id);
  await stack.run('up', '--yes', '--skip-preview', '--refresh');
  expect(held()).toHaveLength(1);
  expect((await stack.exportState()).endpoints.map((resource) => resource.id)).toEqual([held()[0]?.id]);
  await stack.run('destroy', '--yes', '--skip-preview', '--refresh');
  expect(held()).toEqual([]);
});
