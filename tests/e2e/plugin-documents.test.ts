import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlock } from '../support/documents';
import { downloadFrom, serveFiles } from '../support/file-server';
import { makeRelease } from '../support/packed-plugin';
import { startPluginStack } from '../support/start-plugin-stack';

const page = 'docs/plugin.md';
const nodeProject = 'name: documents\nmain: index.ts\nruntime: nodejs\n';
/** Lets the CLI find the plugin in node_modules. */
const pluginFolder = codeBlock(page, 'yaml', 'Install');
const smallest = codeBlock('README.md', 'ts', 'TypeScript');

describe('README.md', () => {
  it('the YAML program downloads the plugin; a restart shows as documented', async () => {
    const { folder } = await makeRelease();
    const { url, requests } = await serveFiles(folder);
    const program = codeBlock('README.md', 'yaml', 'YAML');
    const { stack, held } = await startPluginStack(program);
    Object.assign(stack.environment, downloadFrom(url));
    await stack.run('preview');
    expect(requests).toEqual([expect.stringMatching(/^\/pulumi-resource-postgres-compute-v.*\.tar\.gz$/)]);

    const withNode = stack.environment;
    stack.environment = { ...withNode, PATH: dirname(stack.command) };
    const sentence = /The provider postgres-compute needs Node\.js [^\n]* on PATH/;
    expect((await stack.try('preview')).screen).toMatch(sentence);
    stack.environment = withNode;

    await stack.run('up', '--yes', '--skip-preview');
    expect(held()).toMatchObject([{ type: 'read_write', autoscaling_limit_max_cu: 1 }]);

    const larger = program.replace('autoscalingLimitMaxCu: 1', 'autoscalingLimitMaxCu: 2');
    await writeFile(join(stack.folder, 'Pulumi.yaml'), larger);
    expect((await stack.run('preview')).screen).toContain(codeBlock(page, '', 'Previews').trim());
  });

  it('the TypeScript program works with both imports, and moves the stack', async () => {
    const { stack, held } = await startPluginStack(nodeProject + pluginFolder);
    await stack.writeProgram(smallest);
    await stack.run('up', '--yes', '--skip-preview');
    const before = held();
    expect(before).toHaveLength(1);

    const importLine = codeBlock(page, 'ts', 'TypeScript').trim();
    await stack.writeProgram(smallest.replace(/^import .*'pulumi-postgres-compute';$/m, importLine));
    await stack.run('preview', '--expect-no-changes');
    await stack.run('up', '--yes', '--skip-preview');
    await stack.run('refresh', '--yes', '--skip-preview');
    const { endpoints } = await stack.exportState();
    expect(endpoints.map(({ type }) => type)).toEqual(['postgres-compute:index:ComputeEndpoint']);
    expect(endpoints[0]?.outputs).not.toHaveProperty('__provider');
    expect(held()).toEqual(before);
  });
});

describe('docs/branches.md', () => {
  const guide = 'docs/branches.md';

  it.each(['TypeScript', 'YAML'])('the %s program creates a branch and its endpoint', async (language) => {
    const isYaml = language === 'YAML';
    const projectFile = isYaml ? codeBlock(guide, 'yaml', language) : nodeProject;
    const { stack, emulator, project } = await startPluginStack(projectFile + pluginFolder);
    if (!isYaml) await stack.writeProgram(codeBlock(guide, 'ts', language));
    await stack.run('up', '--yes', '--skip-preview');
    const branch = emulator.branches(project.id).find(({ name }) => name === 'preview/pr-12');
    const [endpoint] = emulator.endpoints().filter(({ branch_id }) => branch_id === branch?.id);
    expect((await stack.run('stack', 'output', 'host')).stdout).toBe(endpoint?.host);
  });
});

describe(page, () => {
  it('the program with an explicit provider needs no settings besides', async () => {
    const { stack, emulator, held } = await startPluginStack(nodeProject + pluginFolder);
    await stack.run('config', 'set', '--secret', 'analyticsKey', emulator.apiKey);
    await stack.run('config', 'set', 'analyticsUrl', emulator.url);
    const { POSTGRES_COMPUTE_API_KEY, POSTGRES_COMPUTE_BASE_URL, ...environment } = stack.environment;
    stack.environment = environment;
    await stack.writeProgram(codeBlock(page, 'ts', 'Several accounts'));
    await stack.run('up', '--yes', '--skip-preview');
    expect(held()).toHaveLength(1);
  });

  it('the commands import an endpoint, the YAML program reads its live state', async () => {
    const live = codeBlock(page, 'yaml', 'Lookups');
    const { stack, emulator, project, fill } = await startPluginStack(live + pluginFolder);
    const [{ id, branch_id } = { id: '', branch_id: '' }] = emulator.endpoints(project.id);
    const [, ...words] = fill(codeBlock(page, 'sh', 'Import'))
      .trim()
      .replace('ENDPOINT_ID', id)
      .split(' ');
    const { screen } = await stack.run(...words, '--yes', '--skip-preview');
    expect(screen).toContain(`branchId: ${branch_id}`);
    expect((await stack.exportState()).endpoints.map((endpoint) => endpoint.id)).toEqual([id]);
    await stack.run('state', 'unprotect', '--all', '--yes');
    await stack.run('up', '--yes', '--skip-preview');
    expect((await stack.run('stack', 'output', 'state')).stdout).toMatch(/^(active|idle)$/);
  });
});
