import { join } from 'node:path';
import { startEmulator } from 'postgres-control-emulator';
import { expect, it, onTestFinished } from 'vitest';
import { startYaml, yamlValue } from '../support/start-stack';
import { makeTemporaryFolder } from '../support/temporary-folder';

const up = ['up', '--yes', '--skip-preview'];

const account = (apiKey: string, baseUrl: string) => ({
  type: 'pulumi:providers:postgres-compute',
  properties: { apiKey, baseUrl },
});

const endpoint = (provider: string, properties: object) => ({
  type: 'postgres-compute:ComputeEndpoint',
  properties: { type: 'read_write', ...properties },
  options: { provider: yamlValue(provider) },
});

it('two explicit providers manage two accounts by their keys', async () => {
  const { stack, emulator, place, held, write } = await startYaml();
  const second = await startEmulator({ operationMs: 100 });
  onTestFinished(() => second.stop());
  const project = second.createProject({ name: 'second' });
  const branch = second.createBranch(project.id, { name: 'feature' });
  const { POSTGRES_COMPUTE_API_KEY: _key, POSTGRES_COMPUTE_BASE_URL: _url, ...bare } = stack.environment;
  stack.environment = bare;
  await write({
    resources: {
      firstAccount: account(emulator.apiKey, emulator.url),
      secondAccount: account(second.apiKey, second.url),
      first: endpoint('firstAccount', place),
      second: endpoint('secondAccount', { projectId: project.id, branchId: branch.id }),
    },
  });
  await stack.run(...up);
  const heldBySecond = () => second.endpoints().filter(({ branch_id }) => branch_id === branch.id);
  expect(held()).toMatchObject([{ current_state: 'active' }]);
  expect(heldBySecond()).toMatchObject([{ current_state: 'active' }]);
  await stack.run('refresh', '--yes', '--skip-preview', '--expect-no-changes');
  await stack.run('destroy', '--yes', '--skip-preview');
  expect([...held(), ...heldBySecond()]).toEqual([]);
  for (const { status } of [...emulator.requests(), ...second.requests()]) expect(status).not.toBe(401);
});

it('a new key of an explicit provider updates the provider only', async () => {
  const data = join(makeTemporaryFolder(), 'emulator.db');
  const { stack, emulator, place, held, write } = await startYaml({}, { data, apiKey: 'key-before' });
  const declare = (apiKey: string, properties: object = {}) => {
    const app = endpoint('account', { ...place, ...properties });
    return write({ resources: { account: account(apiKey, emulator.url), app } });
  };
  await declare('key-before');
  await stack.run(...up);
  const [{ id = '' } = {}] = held();

  await emulator.stop();
  const rotated = await startEmulator({
    data,
    apiKey: 'key-after',
    port: Number(new URL(emulator.url).port),
  });
  onTestFinished(() => rotated.stop());
  expect((await stack.try('refresh', '--yes', '--skip-preview')).screen).toContain('401 Unauthorized');

  await declare('key-after');
  const { stdout } = await stack.run('preview', '--json');
  const { steps } = JSON.parse(stdout) as { steps: { op: string; urn: string }[] };
  const changed = steps
    .filter(({ op }) => op !== 'same')
    .map(({ op, urn }) => `${op} ${urn.split('::').pop()}`);
  expect(changed).toEqual(['update account']);
  await stack.run(...up);
  expect(rotated.requests().filter(({ method }) => method !== 'GET')).toEqual([]);

  await declare('key-after', { suspendTimeoutSeconds: 600 });
  await stack.run(...up);
  expect(rotated.endpoints().find((each) => each.id === id)).toMatchObject({ suspend_timeout_seconds: 600 });
});

it('a wrong setting of an explicit provider stops the preview', async () => {
  const { stack, emulator, place, write } = await startYaml();
  const wrong = account(emulator.apiKey, 'ftp://service.example');
  await write({ resources: { account: wrong, app: endpoint('account', place) } });
  const { exitCode, screen } = await stack.try('preview');
  expect(exitCode).not.toBe(0);
  expect(screen).toContain('must be an http(s) URL without user, query or fragment');
  expect(emulator.requests()).toEqual([]);
});
