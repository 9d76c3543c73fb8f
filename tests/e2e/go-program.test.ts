import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { expect, it } from 'vitest';
import { oldestGo } from '../../tools/pulumi-cli/pins';
import { goImportPath } from '../../tools/schema/publication';
import { codeBlock, repository } from '../support/documents';
import { downloadFrom, serveFiles } from '../support/file-server';
import { isSdkMade, sdkFolder } from '../support/generated-sdk';
import { makeRelease } from '../support/packed-plugin';
import { startPluginStack } from '../support/start-plugin-stack';

/** The versions with which the CLI is built: their modules are on this machine. */
const pinned = join(repository, 'tools/pulumi-cli/cli');
/** The flags of that build, so that Go compiles no package again; and no network. */
const goSettings = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod -trimpath', GOPROXY: 'off', GOSUMDB: 'off' };

it.skipIf(!isSdkMade).each(['docs/plugin.md', 'docs/branches.md'])(
  'the Go program of %s creates an endpoint with the SDK',
  async (page) => {
    const { url } = await serveFiles((await makeRelease()).folder);
    const { stack, emulator } = await startPluginStack('name: quickstart\nruntime: go\n');
    Object.assign(stack.environment, goSettings, downloadFrom(url));
    const write = (name: string, text: string) => writeFile(join(stack.folder, name), text);
    await write('main.go', codeBlock(page, 'go', 'Go'));
    const modules = await readFile(join(pinned, 'go.mod'), 'utf8');
    await write('go.mod', modules.replace(/^module .*/m, 'module quickstart'));
    await cp(join(pinned, 'go.sum'), join(stack.folder, 'go.sum'));
    await cp(join(sdkFolder, 'go/postgrescompute'), join(stack.folder, 'sdk'), { recursive: true });
    await write('sdk/go.mod', `module ${goImportPath}\n\ngo ${oldestGo()}\n`);
    // The SDK imports it and the CLI does not: without a version, here that of the YAML host, Go would ask the network.
    const versions = [`${goImportPath}@v0.0.0`, 'github.com/spf13/cast@v1.4.1'];
    const edits = [
      ...versions.flatMap((version) => ['-require', version]),
      '-replace',
      `${goImportPath}=./sdk`,
    ];
    await execa('go', ['mod', 'edit', ...edits], { cwd: stack.folder });

    await stack.run('up', '--yes', '--skip-preview');

    const hosts = emulator.endpoints().map(({ host }) => host);
    expect(hosts).toHaveLength(2);
    expect(hosts).toContain((await stack.run('stack', 'output', 'host')).stdout);
  },
);
