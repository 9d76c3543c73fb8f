import { expect, it } from 'vitest';
import { collectScreens, findLeaks, readAll } from '../support/stack-texts';
import { startProgram, startYaml, yamlValue } from '../support/start-stack';

const canaries = {
  setting: 'canary-setting/"7f3a',
  trigger: 'canary-trigger\\"9c1b',
  name: 'canary-name-5d2e',
};
const previews = [['preview'], ['preview', '--diff'], ['preview', '--json']];
const up = ['up', '--yes', '--skip-preview'];
const diagnosis = [
  ['refresh', '--yes', '--diff', '--skip-preview'],
  ['stack', 'export'],
  ['stack', 'history', '--json'],
];

const secret = (value: unknown) => ({ 'fn::secret': value });

const declareSecrets = (release: string, maxCu: number) => ({
  name: secret(canaries.name),
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: maxCu,
  pgSettings: { 'app.key': secret(canaries.setting) },
  restartTriggers: { password: secret(`${canaries.trigger}${release}`) },
});

it('a secret argument is in plain text nowhere', async () => {
  const { stack, emulator, held, declare } = await startYaml(declareSecrets('1', 1), { operationMs: 100 });
  const message = `invalid value for parameter: ${canaries.setting} and ${canaries.trigger}1 of ${canaries.name}`;
  const texts: string[] = [];

  emulator.inject({ match: { method: 'POST' }, effect: { kind: 'status', status: 422, message } });
  texts.push(...(await collectScreens(stack, [...previews, up])));
  emulator.inject({
    match: { action: 'start_compute' },
    effect: { kind: 'operation-fails', error: message },
  });
  texts.push(...(await collectScreens(stack, [up, ...previews])));
  texts.push(...(await readAll(stack.backend)));
  texts.push((await stack.run(...up)).screen);

  await declare(declareSecrets('2', 2));
  texts.push(...(await collectScreens(stack, previews)));
  emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 422, message } });
  texts.push(...(await collectScreens(stack, [up])));
  texts.push((await stack.run(...up)).screen);
  texts.push(...(await collectScreens(stack, diagnosis)), ...(await readAll(stack.backend)));

  expect(held()).toMatchObject([{ name: canaries.name, autoscaling_limit_max_cu: 2 }]);
  // Each failure occurred, and the secrets that it quotes are redacted.
  expect(
    texts.filter((text) => text.includes('invalid value for parameter: *** and ***')).length,
  ).toBeGreaterThan(2);
  expect(findLeaks(texts, [...Object.values(canaries), emulator.apiKey])).toEqual([]);
});

it('a plain key of an explicit provider is encrypted and shown nowhere', async () => {
  const apiKey = 'canary-key/7f3a+1=';
  const { stack, emulator, place, write } = await startYaml({}, { apiKey });
  stack.environment = {
    ...stack.environment,
    POSTGRES_COMPUTE_API_KEY: 'unused',
    POSTGRES_COMPUTE_BASE_URL: '',
  };
  const account = {
    type: 'pulumi:providers:postgres-compute',
    properties: { apiKey, baseUrl: emulator.url },
  };
  const declare = (properties: object) => {
    const options = { provider: yamlValue('account') };
    const app = {
      type: 'postgres-compute:ComputeEndpoint',
      properties: { ...place, ...properties },
      options,
    };
    return write({ resources: { account, app } });
  };
  await declare({});
  const texts = await collectScreens(stack, previews);
  texts.push((await stack.run(...up)).screen);
  const message = `the key ${apiKey} is not welcome`;
  emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 403, message } });
  await declare({ suspendTimeoutSeconds: 600 });
  texts.push(...(await collectScreens(stack, [...previews, up, ...diagnosis])));
  texts.push(...(await readAll(stack.backend)));
  expect(texts.join('\n')).toContain('the key *** is not welcome');
  expect(findLeaks(texts, [apiKey])).toEqual([]);
});

it('a secret key in the stack config is in no resource', async () => {
  const { stack, emulator, held } = await startYaml();
  const { POSTGRES_COMPUTE_API_KEY: _key, POSTGRES_COMPUTE_BASE_URL: _url, ...bare } = stack.environment;
  stack.environment = bare;
  await stack.run('config', 'set', '--secret', 'postgres-compute:apiKey', emulator.apiKey);
  await stack.run('config', 'set', 'postgres-compute:baseUrl', emulator.url);
  const texts = await collectScreens(stack, [['preview', '--json'], up, ['up', '--diff', '--yes']]);
  texts.push(...(await readAll(stack.backend)));
  expect(held()).toMatchObject([{ current_state: 'active' }]);
  expect(findLeaks(texts, [emulator.apiKey])).toEqual([]);
});

it('a key in the environment is not in the state', async () => {
  const { stack, emulator } = await startYaml();
  const texts = await collectScreens(stack, [['preview', '--json'], up, ['up', '--diff', '--yes']]);
  texts.push(...(await readAll(stack.backend)));
  expect(findLeaks(texts, [emulator.apiKey])).toEqual([]);
  expect((await stack.exportState()).text).not.toContain('apiKey');
});

it("the plugin's class refuses a plain key in the stack config", async () => {
  const { stack, emulator } = await startProgram('', { importPath: 'pulumi-postgres-compute/plugin' });
  await stack.run('config', 'set', '--plaintext', 'postgres-compute:apiKey', emulator.apiKey);
  const { exitCode, screen } = await stack.try('up', '--yes');
  expect(exitCode).not.toBe(0);
  expect(screen).toContain('set it again with `pulumi config set --secret postgres-compute:apiKey`');
  expect(findLeaks([screen, ...(await readAll(stack.backend))], [emulator.apiKey])).toEqual([]);
  expect(emulator.requests()).toEqual([]);
});
