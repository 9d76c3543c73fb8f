import { expect, it } from 'vitest';
import { startQuickstart } from '../support/start-stack';

it('the quickstart runs the whole life of one endpoint', async () => {
  const { stack, emulator, project, branch } = await startQuickstart();
  const held = () => emulator.endpoints(project.id).find((endpoint) => endpoint.branch_id === branch.id);

  const created = await stack.run('up', '--yes');
  expect(held()).toMatchObject({ current_state: 'active', type: 'read_write', autoscaling_limit_max_cu: 1 });
  expect(created.screen).toContain(held()?.host);

  await stack.run('config', 'set', 'maxCu', '2');
  const sizePreview = await stack.run('preview');
  expect(sizePreview.screen).toMatch(
    /~ .*ComputeEndpoint app update.*\[diff: ~autoscalingLimitMaxCu,restartOnChange\]/,
  );
  expect(held()?.autoscaling_limit_max_cu).toBe(1);

  await stack.run('up', '--yes');
  expect(held()).toMatchObject({ current_state: 'active', autoscaling_limit_max_cu: 2 });
  expect(emulator.restarts(held()?.id ?? '')).toBe(1);

  await stack.run('config', 'set', 'suspendTimeoutSeconds', '600');
  const delayPreview = await stack.run('preview');
  expect(delayPreview.screen).toContain('[diff: ~suspendTimeoutSeconds]');
  expect(delayPreview.screen).not.toContain('restartOnChange');

  await stack.run('up', '--yes');
  expect(held()?.suspend_timeout_seconds).toBe(600);
  expect(emulator.restarts(held()?.id ?? '')).toBe(1);

  await stack.run('refresh', '--yes', '--expect-no-changes');

  const { text, endpoints } = await stack.exportState();
  expect(endpoints.map(({ id }) => id)).toEqual([held()?.id]);
  expect(endpoints[0]?.outputs).toMatchObject({
    host: held()?.host,
    suspendTimeoutSeconds: 600,
    maxConnections: 112,
  });
  expect(endpoints[0]?.sourcePosition).toMatch(/index\.ts#\d+,\d+$/);
  expect(text).not.toContain(emulator.apiKey);
  expect(text).not.toContain(emulator.url);
  expect(String(endpoints[0]?.inputs?.__provider).length).toBeLessThanOrEqual(120);

  await stack.run('destroy', '--yes');
  expect(held()).toBeUndefined();
});

it('the quickstart keeps the settings of the stack out of resources', async () => {
  const { stack, emulator } = await startQuickstart();
  const { POSTGRES_COMPUTE_API_KEY: key, POSTGRES_COMPUTE_BASE_URL: url, ...bare } = stack.environment;
  stack.environment = bare;
  await stack.run('config', 'set', '--secret', 'postgresCompute:apiKey', String(key));
  await stack.run('config', 'set', 'postgresCompute:baseUrl', String(url));
  await stack.run('up', '--yes');
  const { text, endpoints } = await stack.exportState();
  expect(emulator.endpoints().map(({ id }) => id)).toContain(endpoints[0]?.id);
  expect(text).not.toContain(emulator.apiKey);
  expect(JSON.stringify(endpoints)).not.toContain(emulator.url);
});

it('the quickstart refuses a plain key, and keeps it out of state', async () => {
  const { stack, emulator } = await startQuickstart();
  await stack.run('config', 'set', '--plaintext', 'postgresCompute:apiKey', emulator.apiKey);
  const { exitCode, screen } = await stack.try('up', '--yes');
  expect(exitCode).not.toBe(0);
  expect(screen).toContain('pulumi config set --secret postgresCompute:apiKey');
  expect(screen).not.toContain(emulator.apiKey);
  expect((await stack.exportState()).text).not.toContain(emulator.apiKey);
});
