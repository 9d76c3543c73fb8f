import { expect, it } from 'vitest';
import { flat } from '../support/pulumi-stack';
import { startProgram, startYaml } from '../support/start-stack';

/** The sentences about arguments on a screen, sorted. */
const problems = (screen: string) =>
  [...screen.matchAll(/property \S+ value \{.*?\} has a problem: .*/g)].map(([line]) => line.trim()).sort();

it('the plugin refuses wrong arguments as the dynamic provider does', async () => {
  const wrong =
    "type: 'primary', autoscalingLimitMinCu: '1', suspendTimeoutSeconds: 700000, poolerEnable: true";
  const { stack, emulator, declare } = await startProgram(wrong);
  const dynamic = await stack.try('preview');
  await declare(wrong, { importPath: 'pulumi-postgres-compute/plugin' });
  const plugin = await stack.try('preview');
  expect(plugin.exitCode).not.toBe(0);
  expect(new Set(problems(plugin.screen))).toEqual(new Set(problems(dynamic.screen)));
  expect(new Set(problems(plugin.screen)).size).toBe(4);
  expect(plugin.screen).toMatch(
    /property suspendTimeoutSeconds value \{700000\} has a problem: must be -1 \(never\), 0/,
  );
  expect(emulator.requests()).toEqual([]);
});

it('wrong settings of the plugin name the config key to set', async () => {
  const { stack, emulator } = await startYaml();
  const { POSTGRES_COMPUTE_API_KEY: key, ...keyless } = stack.environment;
  const refusal = async () => {
    const { exitCode, screen } = await stack.try('preview');
    expect(exitCode).not.toBe(0);
    expect(screen).not.toMatch(/ at .*\.js:\d+/);
    return flat(screen);
  };
  stack.environment = keyless;
  const missing = await refusal();
  expect(missing).toContain('set it with `pulumi config set --secret postgres-compute:apiKey`');
  expect(missing).toContain('POSTGRES_COMPUTE_API_KEY');

  stack.environment = { ...keyless, POSTGRES_COMPUTE_API_KEY: key };
  await stack.run('config', 'set', 'postgres-compute:baseUrl', 'http://service.example/api/v2');
  expect(await refusal()).toContain('`pulumi config set postgres-compute:allowInsecureBaseUrl true`');

  await stack.run('config', 'rm', 'postgres-compute:baseUrl');
  await stack.run('config', 'set', 'postgres-compute:allowRestart', 'no');
  expect(await refusal()).toContain('postgres-compute:allowRestart must be true or false, not "no"');

  await stack.run('config', 'rm', 'postgres-compute:allowRestart');
  await stack.run('config', 'set', 'postgres-compute:apikey', 'wrong-spelling');
  expect(await refusal()).toContain('is not a setting of the provider; those are apiKey, baseUrl');
  expect(emulator.requests()).toEqual([]);
});
