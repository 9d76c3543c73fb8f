import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recreateTerraformState, type TerraformProvider, toBridgedState } from '../support/moved-state';
import { startCommand } from '../support/start-command';
import { makeTemporaryFolder } from '../support/temporary-folder';

const providers: [TerraformProvider, string, string][] = [
  ['kislerdm', 'app', 'neon_endpoint.app neon_branch.feature'],
  ['kenchan0130', 'app', 'neon_endpoint.app neon_branch.feature'],
  // Its endpoint is a part of the branch.
  ['terraform-community-providers', 'feature', 'neon_branch.feature'],
];

async function startImport() {
  const service = await startCommand({ locks: 'none' });
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
  it.each(providers)(
    'takes over what %s/neon manages, from `terraform show -json`',
    async (provider, appName, addresses) => {
      const { emulator, project, importState, readOutput, output } = await startImport();
      const { text, branch, app, replica } = await recreateTerraformState(emulator, project.id, provider);
      const { exitCode, stdout, stderr } = await importState(text);

      expect(exitCode).toBe(0);
      const type = 'postgres-compute:index:ComputeEndpoint';
      expect(readOutput()).toEqual({
        resources: [
          { type: 'postgres-compute:index:Branch', name: 'feature', id: `${project.id}/${branch.id}` },
          { type, name: appName, id: `${project.id}/${app}` },
          { type, name: 'reports-replica-eu', id: `${project.id}/${replica}` },
        ],
      });
      expect(stdout).toBe(`import { Branch, ComputeEndpoint } from 'pulumi-postgres-compute/plugin';

const branchFeature = new Branch('feature', {
  projectId: '${project.id}',
  name: 'feature-${provider}',
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
`);
      expect(stderr).toContain('Not taken over: neon_role, which this provider does not have.\n');
      expect(stderr).toContain(`  2. pulumi import --file ${output} --generate-code=false\n`);
      expect(stderr).toContain(
        `terraform state rm 'module.reports.neon_endpoint.replica["eu"]' ${addresses}\n`,
      );
    },
  );

  it('takes over what the Pulumi bridge manages, from `pulumi stack export`', async () => {
    const { emulator, project, importState, readOutput } = await startImport();
    const { branch, app } = await recreateTerraformState(emulator, project.id, 'kislerdm');
    const { exitCode, stderr } = await importState(toBridgedState(project.id, branch.id, app));

    expect(exitCode).toBe(0);
    expect(readOutput().resources.map(({ name, id }: { name: string; id: string }) => [name, id])).toEqual([
      ['feature', `${project.id}/${branch.id}`],
      ['app', `${project.id}/${app}`],
    ]);
    expect(stderr).toContain('Not taken over: neon:index/role:Role, which this provider does not have.\n');
    const [endpoint, last] = stderr.match(/pulumi state delete .*/g) ?? [];
    expect(endpoint).toBe(
      "pulumi state delete --yes 'urn:pulumi:dev::shop::neon:index/endpoint:Endpoint::app'",
    );
    expect(last).toContain('Branch::feature');
  });

  it('skips what the service no longer has, and names it', async () => {
    const { emulator, project, importState, readOutput } = await startImport();
    const { branch } = await recreateTerraformState(emulator, project.id, 'kislerdm');
    const { stderr } = await importState(toBridgedState(project.id, branch.id, 'ep-none-1'));
    expect(stderr).toMatch(/Skipped urn:.*::app: the service does not have ep-none-1\./);
    expect(readOutput().resources).toHaveLength(1);
    expect(stderr).not.toMatch(/state delete .*::app/);
  });

  it('imports what two addresses manage once, and removes both from the old state', async () => {
    const { emulator, project, importState, readOutput } = await startImport();
    const { branch, app } = await recreateTerraformState(emulator, project.id, 'kislerdm');
    const text = toBridgedState(project.id, branch.id, app);
    const resources = JSON.parse(text).deployment.resources;
    const twin = { ...resources[1], urn: resources[1].urn.replace('::app', '::twin') };
    const { stderr } = await importState(JSON.stringify({ deployment: { resources: [...resources, twin] } }));
    expect(readOutput().resources).toHaveLength(2);
    expect(stderr).toContain('Wrote 2 resources');
    expect(stderr.match(/state delete .*/g)).toHaveLength(3);
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

  it('changes nothing at the service and prints no secret', async () => {
    const { emulator, project, importState } = await startImport();
    const { text } = await recreateTerraformState(emulator, project.id, 'kislerdm');
    const before = emulator.requests().length;
    const { stdout, stderr } = await importState(text);
    const methods = emulator
      .requests()
      .slice(before)
      .map(({ method }) => method);
    expect(new Set(methods)).toEqual(new Set(['GET']));
    expect(text).toContain('not-a-real-password');
    expect(stdout + stderr).not.toContain('not-a-real-password');
  });

  it.each([
    [
      'a raw state file of Terraform',
      '{"version": 4, "terraform_version": "1.11.4", "resources": []}',
      2,
      /is neither the output of/,
    ],
    ['a configuration', 'resource "neon_branch" {}', 2, /^error: The file is not JSON in UTF-8\./],
    [
      'a state without resources',
      '{"deployment": {"resources": []}}',
      4,
      /has no endpoint and no branch to import/,
    ],
    [
      'a resource without its project',
      toBridgedState('', 'br-1', 'ep-1'),
      2,
      /has no id or no project of urn:.*::feature/,
    ],
  ])('refuses %s', async (_what, text, code, reason) => {
    const { importState } = await startImport();
    const { exitCode, stdout, stderr } = await importState(text);
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    expect(stderr).toMatch(reason);
  });

  it('refuses a file that does not exist', async () => {
    const { run } = await startCommand();
    expect(await run('import-state', '/no/such/state.json')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("error: Can't read /no/such/state.json: ENOENT"),
    });
  });
});
