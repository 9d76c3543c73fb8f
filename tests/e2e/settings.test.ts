import { join } from 'node:path';
import { startEmulator } from 'postgres-control-emulator';
import { expect, it, onTestFinished } from 'vitest';
import { collectScreens, findLeaks, readAll } from '../support/stack-texts';
import { output, startProgram } from '../support/start-stack';
import { makeTemporaryFolder } from '../support/temporary-folder';

const up = ['up', '--yes', '--skip-preview'];

// YAML's own type check comes first there.
it('a preview names each wrong argument', async () => {
  const wrong = {
    type: 'primary',
    autoscalingLimitMinCu: '1',
    suspendTimeoutSeconds: 700000,
    poolerEnable: true,
  };
  const { stack, emulator } = await startProgram('plugin, in TypeScript', wrong);
  const { exitCode, screen } = await stack.try('preview');
  expect(exitCode).not.toBe(0);
  const named = [...screen.matchAll(/property (\S+) value \{.*?\} has a problem: ./g)].map(
    ([, name]) => name,
  );
  expect(new Set(named)).toEqual(new Set(Object.keys(wrong)));
  expect(screen).toMatch(
    /property suspendTimeoutSeconds value \{700000\} has a problem: must be -1 \(never\), 0/,
  );
  expect(emulator.requests()).toEqual([]);
});

const account = (apiKey: string, baseUrl: string) => ({
  type: 'pulumi:providers:postgres-compute',
  properties: { apiKey, baseUrl },
});

const endpoint = (provider: string, properties: object) => ({
  type: 'ComputeEndpoint',
  properties: { type: 'read_write', ...properties },
  options: { provider: output(provider) },
});

it('two explicit providers manage two accounts, and show no plain key', async () => {
  const apiKey = 'canary-key/7f3a+1=';
  const { stack, emulator, place, held, write } = await startProgram('plugin', {}, { apiKey });
  const second = await startEmulator({ operationMs: 100 });
  onTestFinished(() => second.stop());
  const project = second.createProject({ name: 'second' });
  const branch = second.createBranch(project.id, { name: 'feature' });
  const { POSTGRES_COMPUTE_API_KEY: _key, POSTGRES_COMPUTE_BASE_URL: _url, ...bare } = stack.environment;
  stack.environment = bare;
  const declare = (properties: object) =>
    write({
      resources: {
        firstAccount: account(apiKey, emulator.url),
        secondAccount: account(second.apiKey, second.url),
        first: endpoint('firstAccount', { ...place, ...properties }),
        second: endpoint('secondAccount', { projectId: project.id, branchId: branch.id }),
      },
    });
  await declare({});
  const texts = await collectScreens(stack, [
    ['preview', '--json'],
    [...up, '--diff'],
  ]);
  const heldBySecond = () => second.endpoints().filter(({ branch_id }) => branch_id === branch.id);
  expect(held()).toMatchObject([{ current_state: 'active' }]);
  expect(heldBySecond()).toMatchObject([{ current_state: 'active' }]);
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');

  const message = `the key ${apiKey} is not welcome`;
  emulator.inject({ match: { method: 'PATCH' }, effect: { kind: 'status', status: 403, message } });
  await declare({ suspendTimeoutSeconds: 600 });
  texts.push(...(await collectScreens(stack, [['preview', '--diff'], up, ['stack', 'export']])));
  texts.push(...(await readAll(stack.backend)));
  expect(texts.join('\n')).toContain('the key *** is not welcome');
  expect(findLeaks(texts, [apiKey, second.apiKey])).toEqual([]);
  await stack.run('destroy', '--yes', '--skip-preview');
  expect([...held(), ...heldBySecond()]).toEqual([]);
  for (const { status } of [...emulator.requests(), ...second.requests()]) expect(status).not.toBe(401);
});

it('a new key of an explicit provider updates the provider only', async () => {
  const data = join(makeTemporaryFolder(), 'emulator.db');
  const { stack, emulator, place, held, write } = await startProgram(
    'plugin',
    {},
    { data, apiKey: 'key-before' },
  );
  const declare = (apiKey: string, properties: object = {}) => {
    const app = endpoint('account', { ...place, ...properties });
    return write({ resources: { account: account(apiKey, emulator.url), app } });
  };
  await declare('key-before');
  await stack.run(...up);
  const [{ id = '' } = {}] = held();

  await emulator.stop();
  const port = Number(new URL(emulator.url).port);
  const rotated = await startEmulator({ data, apiKey: 'key-after', port });
  onTestFinished(() => rotated.stop());
  expect((await stack.try('refresh', '--yes', '--skip-preview')).screen).toContain('401 Unauthorized');

  await declare('key-after');
  const { stdout } = await stack.run('preview', '--json');
  const { steps } = JSON.parse(stdout) as { steps: { op: string; urn: string }[] };
  const changed = steps.filter(({ op }) => op !== 'same');
  expect(changed.map(({ op, urn }) => `${op} ${urn.split('::').pop()}`)).toEqual(['update account']);
  await stack.run(...up);
  expect(rotated.requests().filter(({ method }) => method !== 'GET')).toEqual([]);

  await declare('key-after', { suspendTimeoutSeconds: 600 });
  await stack.run(...up);
  expect(rotated.endpoints().find((each) => each.id === id)).toMatchObject({ suspend_timeout_seconds: 600 });
});
