import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlock } from '../support/documents';
import { doorNames, programDoors } from '../support/program-doors';
import type { PulumiStack } from '../support/pulumi-stack';
import { collectScreens, findLeaks, readAll } from '../support/stack-texts';
import { secret, startProgram } from '../support/start-stack';

const canaries = {
  setting: 'canary-setting/"7f3a',
  trigger: 'canary-trigger\\"9c1b',
  name: 'canary-name-5d2e',
};
const up = ['up', '--yes', '--skip-preview'];
const diagnosis = [
  ['refresh', '--yes', '--diff', '--skip-preview'],
  ['stack', 'output', '--json'],
  ['stack', 'export'],
  ['stack', 'history', '--json'],
];

const declareSecrets = (release: string, maxCu: number) => ({
  regionId: secret('local-east-1'),
  name: secret(canaries.name),
  autoscalingLimitMinCu: secret(0.25),
  autoscalingLimitMaxCu: secret(maxCu),
  pgSettings: { 'app.key': secret(canaries.setting) },
  restartTriggers: { password: secret(`${canaries.trigger}${release}`) },
});

/** An endpoint whose secrets the stack, its component and its own options mark. */
const transformed = (importPath: string, place: object) => `import * as pulumi from '@pulumi/pulumi';
import { ComputeEndpoint } from '${importPath}';
const mark = (property: string) => ({ props, opts }: any) =>
  props[property] && { props: { ...props, [property]: pulumi.secret(props[property]) }, opts };
pulumi.runtime.registerStackTransformation(mark('name'));
const parent = new pulumi.ComponentResource('test:index:Component', 'parent', {}, {
  transformations: [mark('restartTriggers')],
});
new ComputeEndpoint('app', {
  ...${JSON.stringify(place)} as any,
  name: '${canaries.name}',
  pgSettings: { 'app.key': ${JSON.stringify(canaries.setting)} },
  restartTriggers: { password: ${JSON.stringify(canaries.trigger)} },
}, { parent, transforms: [mark('pgSettings')] });
`;

/** The environment without the key and the base URL. */
function withoutSettings({ environment }: PulumiStack): NodeJS.ProcessEnv {
  const { POSTGRES_COMPUTE_API_KEY: _key, POSTGRES_COMPUTE_BASE_URL: _url, ...bare } = environment;
  return bare;
}

describe.each(doorNames)('by the %s provider', (door) => {
  const prefix = door === 'plugin' ? 'postgres-compute' : 'postgresCompute';

  it('secret arguments and a secret key are in plain text nowhere', async () => {
    const { stack, emulator, held, declare } = await startProgram(door, declareSecrets('1', 1), {
      operationMs: 100,
    });
    stack.environment = withoutSettings(stack);
    await stack.run('config', 'set', '--secret', `${prefix}:apiKey`, emulator.apiKey);
    await stack.setConfig({ [`${prefix}:baseUrl`]: emulator.url });
    const message = `invalid value for parameter: ${canaries.setting} and ${canaries.trigger}1 of ${canaries.name}`;
    const status = { kind: 'status', status: 422, message } as const;
    const texts: string[] = [];
    emulator.inject({ match: { method: 'POST' }, effect: status });
    texts.push(...(await collectScreens(stack, [['preview', '--json'], up])));
    emulator.inject({
      match: { action: 'start_compute' },
      effect: { kind: 'operation-fails', error: message },
    });
    texts.push(...(await collectScreens(stack, [up, [...up, '--diff']])));
    await declare(declareSecrets('2', 2));
    emulator.inject({ match: { method: 'PATCH' }, effect: status });
    texts.push(...(await collectScreens(stack, [['preview', '--diff'], up, up, ...diagnosis])));
    texts.push(...(await readAll(stack.backend)));

    expect(held()).toMatchObject([{ name: canaries.name, autoscaling_limit_max_cu: 2 }]);
    // Each failure occurred, and the secrets that it quotes are redacted.
    const redacted = texts.filter((text) => text.includes('invalid value for parameter: *** and ***'));
    expect(redacted.length).toBeGreaterThan(2);
    expect(findLeaks(texts, [...Object.values(canaries), emulator.apiKey])).toEqual([]);
    const { endpoints } = await stack.exportState();
    expect(JSON.stringify(endpoints)).not.toMatch(new RegExp(`apiKey|${emulator.url}`));
  });

  it('a secret of a transformation is in plain text nowhere', async () => {
    const { stack, held, place } = await startProgram(door === 'plugin' ? 'plugin, in TypeScript' : door);
    await stack.writeProgram(transformed(programDoors[door].importPath, place));
    const texts = await collectScreens(stack, [[...up, '--diff'], ...diagnosis]);
    texts.push(...(await readAll(stack.backend)));
    const settings = { 'app.key': canaries.setting };
    expect(held()).toMatchObject([{ name: canaries.name, settings: { pg_settings: settings } }]);
    expect(findLeaks(texts, Object.values(canaries))).toEqual([]);
  });
});

// The same for the plugin: roles-and-databases.test.ts.
it('the connection string of a new endpoint is a secret output', async () => {
  const { stack, held, configure } = await startProgram('dynamic');
  await configure();
  const start = `import * as pulumi from '@pulumi/pulumi';
const projectId = new pulumi.Config().require('projectId');
`;
  const ofBranch = start + codeBlock('docs/branches.md', 'ts', 'Branches');
  await writeFile(join(stack.folder, 'branches.ts'), ofBranch);
  const lookup = codeBlock('docs/reference.md', 'ts', 'Lookups');
  await stack.writeProgram(`import './branches';\n${start}${lookup}`);
  const commands = [['preview', '--diff'], [...up, '--diff'], ...diagnosis];
  const texts = [...(await collectScreens(stack, commands)), ...(await readAll(stack.backend))];
  const { stdout } = await stack.run('stack', 'output', 'databaseUrl', '--show-secrets');
  const { hostname, username, password, pathname, href } = new URL(stdout.trim());
  expect([hostname, username, pathname]).toEqual([held()[0]?.host, 'app_owner', '/app']);
  expect(password).not.toBe('');
  expect(findLeaks(texts, [password, href])).toEqual([]);
});

it('a plain key of the stack config is refused', async () => {
  const { stack, emulator } = await startProgram('plugin, in TypeScript');
  await stack.setConfig({ 'postgres-compute:apiKey': emulator.apiKey });
  const { exitCode, screen } = await stack.try('preview');
  expect(exitCode).not.toBe(0);
  expect(screen).toContain('set it again with `pulumi config set --secret postgres-compute:apiKey`');
  expect(findLeaks([screen, ...(await readAll(stack.backend))], [emulator.apiKey])).toEqual([]);
  expect(emulator.requests()).toEqual([]);
});
