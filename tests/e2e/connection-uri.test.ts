import { describe, expect, it } from 'vitest';
import { codeBlock } from '../support/documents';
import type { PulumiStack } from '../support/pulumi-stack';
import { collectScreens, findLeaks, readAll } from '../support/stack-texts';
import { startPluginStack } from '../support/start-plugin-stack';
import { startProgram } from '../support/start-stack';

const database = { databaseName: 'app', roleName: 'app_owner' };

/** The program of the reference, which finds the branch by its name. */
const program = `import * as pulumi from '@pulumi/pulumi';
const projectId = new pulumi.Config().require('projectId');
${codeBlock('docs/reference.md', 'ts', 'Lookups')}`;

const document = `name: connection-uri
runtime: yaml
plugins: { providers: [{ name: postgres-compute, path: node_modules/pulumi-postgres-compute/plugin }] }
variables:
  branch:
    fn::invoke:
      function: postgres-compute:getBranch
      arguments: { projectId: PROJECT_ID, name: feature }
  connection:
    fn::invoke:
      function: postgres-compute:getConnectionUri
      arguments: { projectId: PROJECT_ID, endpointId: '\${app.id}', ${JSON.stringify(database).slice(1, -1)} }
resources:
  app:
    type: postgres-compute:ComputeEndpoint
    properties: { projectId: PROJECT_ID, branchId: '\${branch.id}', type: read_write }
outputs:
  databaseUrl: \${connection.uri}
`;

/** Runs the life of the stack, and returns everything that it has shown or stored, and the connection string. */
async function live(stack: PulumiStack) {
  const texts = await collectScreens(stack, [
    ['preview', '--diff'],
    ['up', '--yes', '--diff'],
    ['preview', '--json'],
    ['stack', 'output', '--json'],
    ['stack', 'export'],
    ['refresh', '--yes', '--diff'],
  ]);
  texts.push(...(await readAll(stack.backend)));
  const { stdout } = await stack.run('stack', 'output', 'databaseUrl', '--show-secrets');
  return { texts, uri: new URL(stdout.trim()) };
}

const startDynamic = async () => {
  const service = await startProgram();
  await service.stack.writeProgram(program);
  return service;
};

describe('the connection string of a new endpoint', () => {
  it.each([
    ['a TypeScript program', startDynamic],
    ['a YAML program', () => startPluginStack(document)],
  ])('is a secret output of %s', async (_language, start) => {
    const { stack, held } = await start();
    const { texts, uri } = await live(stack);
    const [endpoint] = held();
    expect([uri.hostname, uri.username, uri.pathname]).toEqual([endpoint?.host, 'app_owner', '/app']);
    expect(uri.password).not.toBe('');
    expect(findLeaks(texts, [uri.password, uri.href])).toEqual([]);
  });
});
