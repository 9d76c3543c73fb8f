import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startCommand } from '../support/start-command';
import { makeTemporaryFolder } from '../support/temporary-folder';

interface ImportFile {
  readonly resources: readonly { readonly name: string; readonly id: string; readonly inputs: object }[];
}

/** A project with the endpoint of its primary branch and one named `api` on another, and a place for the file. */
async function startImport() {
  const service = await startCommand();
  const { id } = await service.provider.create(service.declare({ name: 'api', suspendTimeoutSeconds: 600 }));
  const before = service.emulator.requests().length;
  const sent = () => service.emulator.requests().slice(before);
  const file = join(makeTemporaryFolder(), "Jo's file.json");
  const importTo = async (...words: string[]) => {
    const end = await service.run('import-file', '--output', file, ...words);
    expect(end.exitCode).toBe(0);
    const { resources } = JSON.parse(await readFile(file, 'utf8')) as ImportFile;
    return { ...end, resources };
  };
  return { ...service, apiId: id, file, sent, importTo };
}

type Import = Awaited<ReturnType<typeof startImport>>;

const writeRole = (branchName: string) => `
const roleAppOwner${branchName} = new Role('app-owner-${branchName.toLowerCase()}', {
  projectId,
  branchId: branch${branchName}.id,
  name: 'app_owner',
}, { protect: true });
`;

const writeDatabase = (branchName: string) => `
new Database('app-${branchName.toLowerCase()}', {
  projectId,
  branchId: branch${branchName}.id,
  name: 'app',
  ownerName: roleAppOwner${branchName}.name,
}, { protect: true });
`;

describe('import-file', () => {
  it('imports all of the project', async () => {
    const { importTo, sent, primary, apiId, project, branch } = await startImport();
    const { resources, stdout } = await importTo();
    const on = (branchId: string, name: string) => `${project.id}/${branchId}/${name}`;
    expect(resources).toMatchObject([
      { type: 'pulumi-nodejs:dynamic/postgres:Branch', name: 'main', id: primary.branch_id },
      { name: 'feature', id: branch.id, inputs: { parentId: primary.branch_id } },
      { type: 'pulumi-nodejs:dynamic/postgres:ComputeEndpoint', name: 'main', id: primary.id },
      { name: 'api', id: apiId, inputs: { name: 'api', suspendTimeoutSeconds: 600 } },
      { name: 'app-owner-main', id: on(primary.branch_id, 'app_owner') },
      { name: 'app-owner-feature', id: on(branch.id, 'app_owner') },
      { name: 'app-main', id: on(primary.branch_id, 'app'), outputs: { ownerName: 'app_owner' } },
      { name: 'app-feature', id: on(branch.id, 'app') },
    ]);
    expect(sent().every(({ method, path }) => method === 'GET' && !path.includes('password'))).toBe(true);
    expect(stdout).toBe(`import { Branch, ComputeEndpoint, Database, Role } from 'pulumi-postgres-compute';

const projectId = '${project.id}';

const branchMain = new Branch('main', {
  projectId,
  name: 'main',
}, { protect: true });

const branchFeature = new Branch('feature', {
  projectId,
  name: 'feature',
  parentId: branchMain.id,
}, { protect: true });

new ComputeEndpoint('main', {
  projectId,
  branchId: branchMain.id,
  type: 'read_write',
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 0.25,
}, { protect: true });

new ComputeEndpoint('api', {
  projectId,
  branchId: branchFeature.id,
  type: 'read_write',
  name: 'api',
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 1,
  suspendTimeoutSeconds: 600,
}, { protect: true });
${['Main', 'Feature'].map((branchName) => writeRole(branchName)).join('')}${['Main', 'Feature'].map((branchName) => writeDatabase(branchName)).join('')}`);
  });

  it.each([
    ['its id', ({ apiId }: Import) => apiId, 'api'],
    ['its name', () => 'api', 'api'],
    ['its id, and names it by its branch', ({ primary }: Import) => primary.id, 'main'],
  ])('imports one endpoint with --endpoint, by %s', async (_how, idOrName, name) => {
    const ground = await startImport();
    const { resources, stdout } = await ground.importTo('--endpoint', idOrName(ground));
    expect(resources).toMatchObject([{ name }]);
    expect(stdout.match(/new ComputeEndpoint/g)).toHaveLength(1);
  });

  it('imports a branch with what is on it, by id or name', async () => {
    const { importTo, provider, declare, project, branch, apiId } = await startImport();
    const replica = await provider.create(declare({ type: 'read_only', name: 'reports' }));
    for (const idOrName of [branch.id, branch.name]) {
      const { resources } = await importTo('--branch', idOrName);
      const named = ['app_owner', 'app'].map((name) => `${project.id}/${branch.id}/${name}`);
      expect(resources.map(({ id }) => id)).toEqual([branch.id, apiId, replica.id, ...named]);
    }
  });

  it('imports only the endpoints if the key has no access to the branches', async () => {
    const { importTo, emulator, primary } = await startImport();
    emulator.inject({
      match: { method: 'GET', path: '/projects/:p/branches' },
      effect: { kind: 'status', status: 403 },
    });
    const { resources, stderr } = await importTo();
    expect(resources.map(({ name }) => name)).toEqual([primary.id, 'api']);
    expect(stderr).toMatch(/Only the endpoints are imported: .*[^.]\n/);
  });

  it('prints the next steps on stderr, with a quoted path', async () => {
    const { importTo, file } = await startImport();
    const { stderr } = await importTo();
    expect(stderr).toContain(`Wrote 8 resources to ${file}.`);
    expect(stderr).toContain('  1. add the text above to the program\n');
    const quoted = `'${file.replace("'", "'\\''")}'`; // For the shell.
    expect(stderr).toContain(`  2. pulumi import --file ${quoted} --generate-code=false\n`);
    expect(stderr).toContain('  3. pulumi preview --expect-no-changes\n  4. pulumi refresh, which reads ');
  });
});
