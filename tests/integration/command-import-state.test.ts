import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recreateState, type StateFixture } from '../support/moved-state';
import { sendRequest } from '../support/send-request';
import { commandOf, runWith } from '../support/start-command';
import { startHttpService } from '../support/start-http-service';
import { makeTemporaryFolder } from '../support/temporary-folder';

const terraformStates: [StateFixture, string, string, string][] = [
  ['terraform/kislerdm', 'app', 'app', 'neon_role.app neon_endpoint.app neon_branch.feature'],
  ['terraform/kenchan0130', 'app', 'app', 'neon_role.app neon_endpoint.app neon_branch.feature'],
  // Its endpoint is a part of the branch.
  [
    'terraform/terraform-community-providers',
    'feature',
    'reporter',
    'neon_role.reporter neon_branch.feature',
  ],
];

async function startImport() {
  const service = commandOf(await startHttpService({ locks: 'none' }));
  const folder = makeTemporaryFolder();
  const [file, output] = [join(folder, 'state.json'), join(folder, 'import.json')];
  const importState = async (text: string) => {
    writeFileSync(file, text);
    return service.run('import-state', file, '--output', output);
  };
  const readOutput = () => JSON.parse(readFileSync(output, 'utf8'));
  return { ...service, file, output, importState, readOutput };
}

describe('import-state', () => {
  it.each(terraformStates)('takes over what %s manages', async (fixture, appName, roleName, addresses) => {
    const { emulator, project, importState, readOutput, output } = await startImport();
    const { text, branch, app, replica } = await recreateState(emulator, project.id, fixture);
    const before = emulator.requests().length;
    const { exitCode, stdout, stderr } = await importState(text);
    const sent = emulator.requests().slice(before);
    expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);

    expect(exitCode).toBe(0);
    const type = 'postgres-compute:index:ComputeEndpoint';
    expect(readOutput()).toEqual({
      resources: [
        { type: 'postgres-compute:index:Branch', name: 'feature', id: `${project.id}/${branch.id}` },
        { type, name: appName, id: `${project.id}/${app}` },
        { type, name: 'reports-replica-eu', id: `${project.id}/${replica}` },
        { type: 'postgres-compute:index:Role', name: roleName, id: `${project.id}/${branch.id}/reporter` },
      ],
    });
    expect(stdout).toBe(`import { Branch, ComputeEndpoint, Role } from 'pulumi-postgres-compute/plugin';

const branchFeature = new Branch('feature', {
  projectId: '${project.id}',
  name: '${branch.name}',
  parentId: '${branch.parent_id}',
}, { protect: true });

new ComputeEndpoint('${appName}', {
  projectId: '${project.id}',
  branchId: branchFeature.id,
  type: 'read_write',
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 1,
  suspendTimeoutSeconds: 600,
}, { protect: true });

new ComputeEndpoint('reports-replica-eu', {
  projectId: '${project.id}',
  branchId: branchFeature.id,
  type: 'read_only',
  autoscalingLimitMinCu: 0.25,
  autoscalingLimitMaxCu: 0.25,
}, { protect: true });

new Role('${roleName}', {
  projectId: '${project.id}',
  branchId: branchFeature.id,
  name: 'reporter',
}, { protect: true });
`);
    expect(stderr).toContain(`  2. pulumi import --file ${output} --generate-code=false\n`);
    expect(stderr).toContain(
      `terraform state rm 'module.reports.neon_endpoint.replica["eu"]' ${addresses}\n`,
    );
  });

  it.each([
    ['bridge/kislerdm', 'app', ['reporter', 'replica', 'app', 'feature']],
    ['bridge/terraform-community-providers', 'feature', ['reporter', 'replica', 'feature']],
  ] as const)('takes over what %s manages', async (fixture, appName, names) => {
    const { emulator, project, importState, readOutput } = await startImport();
    const { text, branch, app, replica } = await recreateState(emulator, project.id, fixture);
    const { exitCode, stderr } = await importState(text);

    expect(exitCode).toBe(0);
    expect(readOutput().resources.map(({ name, id }: { name: string; id: string }) => [name, id])).toEqual([
      ['feature', `${project.id}/${branch.id}`],
      [appName, `${project.id}/${app}`],
      ['replica', `${project.id}/${replica}`],
      ['reporter', `${project.id}/${branch.id}/reporter`],
    ]);
    const commands = [
      ...stderr.matchAll(/pulumi state delete --yes 'urn:pulumi:dev::shop::neon:\S+:(\S+)'/g),
    ];
    expect(commands.map(([, name]) => name)).toEqual(names);
  });

  it('skips what the service no longer has, and names it', async () => {
    const { emulator, project, importState, readOutput } = await startImport();
    const { text, app } = await recreateState(emulator, project.id, 'bridge/kislerdm');
    const { stderr } = await importState(text.replaceAll(app, 'ep-none-1'));
    expect(stderr).toMatch(/Skipped urn:.*::app: the service does not have ep-none-1\./);
    expect(readOutput().resources).toHaveLength(3);
    expect(stderr).not.toMatch(/state delete .*::app/);
  });

  it('skips what this provider would refuse, and names it', async () => {
    const { emulator, project, importState, readOutput } = await startImport();
    const { text, branch } = await recreateState(emulator, project.id, 'terraform/kislerdm');
    const path = `/projects/${project.id}/branches/${branch.id}/roles`;
    await sendRequest(emulator, 'POST', path, { role: { name: '..' } });
    const { stderr } = await importState(text.replaceAll('"reporter"', '".."'));
    expect(stderr).toMatch(/Skipped neon_role\.app: name must be neither \. nor \.\., /);
    expect(readOutput().resources).toHaveLength(3);
    expect(stderr).not.toMatch(/state rm .*neon_role\.app/);
  });

  it('imports what two addresses manage once', async () => {
    const { emulator, project, importState, readOutput } = await startImport();
    const { text, app } = await recreateState(emulator, project.id, 'bridge/kislerdm');
    const resources: { id: string; urn: string }[] = JSON.parse(text).deployment.resources;
    const twins = resources
      .filter(({ id }) => id === app)
      .map((one) => ({ ...one, urn: one.urn.replace('::app', '::twin') }));
    const { stderr } = await importState(
      JSON.stringify({ deployment: { resources: [...resources, ...twins] } }),
    );
    expect(readOutput().resources).toHaveLength(4);
    expect(stderr).toContain('Wrote 4 resources');
    expect(stderr.match(/state delete .*/g)).toHaveLength(5);
  });

  it('does not write over the state file', async () => {
    const { file, importState, run } = await startImport();
    await importState('{}');
    expect(await run('import-state', file, '--output', file)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/is the state file: give another name\.$/m),
    });
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  it('exits with 4 when the state has no resources', async () => {
    const { importState } = await startImport();
    const { exitCode, stdout, stderr } = await importState('{"deployment": {"resources": []}}');
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' });
    expect(stderr).toMatch(/has nothing to import/);
  });

  it('refuses a file that does not exist', async () => {
    const environment = { POSTGRES_COMPUTE_API_KEY: 'key', POSTGRES_COMPUTE_BASE_URL: 'http://127.0.0.1:1' };
    expect(await runWith(['import-state', '/no/such/state.json'], environment)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("error: Can't read /no/such/state.json: ENOENT"),
    });
  });
});
