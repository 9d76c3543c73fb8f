import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { expect, it } from 'vitest';
import { repository } from '../support/documents';
import { copyForPacking, makeRelease, packPlugin } from '../support/packed-plugin';
import { listFiles, makeTemporaryFolder } from '../support/temporary-folder';

interface PackedFile {
  readonly path: string;
  readonly mode: number;
}

it('the plugin archive holds what the plugin needs, in less than 1 MB', async () => {
  const { archive } = await packPlugin();
  const { stdout } = await execa('tar', ['-tzf', archive]);
  expect(stdout.split('\n').sort()).toEqual([
    'LICENSE',
    'main.js',
    'main.js.LEGAL.txt',
    'pulumi-resource-postgres-compute',
    'pulumi-resource-postgres-compute.cmd',
    'schema.json',
  ]);
  expect((await readFile(archive)).length).toBeLessThan(1e6);
});

it('the npm package has a built plugin and an executable launcher', async () => {
  const copy = await copyForPacking();
  const { stdout } = await execa('npm', ['pack', '--json', '--dry-run'], { cwd: join(copy, 'provider') });
  const [{ files }] = JSON.parse(stdout) as [{ files: PackedFile[] }]; // The documented shape of npm pack --json.
  const modeOf = (name: string) => files.find(({ path }) => path === `plugin/${name}`)?.mode;
  expect(modeOf('main.js')).toBe(0o644);
  expect(modeOf('pulumi-resource-postgres-compute')).toBe(0o755);
});

it('the npm packages hold what belongs in them, and no more', async () => {
  const words = ['pack', '--workspaces', '--json', '--dry-run', '--ignore-scripts'];
  const { stdout } = await execa('npm', words, { cwd: repository });
  const packages = JSON.parse(stdout) as { files: PackedFile[] }[]; // The documented shape of npm pack --json.
  const belongs =
    /^(LICENSE|README\.md|package\.json|dist\/.+\.(js|d\.ts|LEGAL\.txt)|(bin|console|plugin)\/\w[\w.-]+)$/;
  for (const { files } of packages) {
    const names = files.map(({ path }) => path);
    expect(names).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(names.filter((name) => !belongs.test(name) || /\.(test\.|map$)/.test(name))).toEqual([]);
  }
});

it.each(['provider', 'emulator'])('%s has the LICENSE of the repository', async (folder) => {
  const license = await readFile(join(repository, 'LICENSE'), 'utf8');
  expect(await readFile(join(repository, folder, 'LICENSE'), 'utf8')).toBe(license);
});

it('no package.json asks the CLI to download the plugin', async () => {
  for (const file of ['provider/package.json', 'provider/plugin/package.json'])
    expect(JSON.parse(await readFile(join(repository, file), 'utf8'))).not.toHaveProperty('pulumi');
});

it('a release has five archives, a bill of materials and checksums', async () => {
  const { folder, version } = await makeRelease();
  const name = `pulumi-resource-postgres-compute-v${version}`;
  const platforms = ['linux-amd64', 'linux-arm64', 'darwin-amd64', 'darwin-arm64', 'windows-amd64'];
  const listed = [...platforms.map((platform) => `${name}-${platform}.tar.gz`), `${name}.cdx.json`];
  const checksums = await readFile(join(folder, `${name}-checksums.txt`), 'utf8');
  for (const file of listed) {
    const hash = createHash('sha256').update(await readFile(join(folder, file)));
    expect(checksums).toContain(`${hash.digest('hex')}  ${file}\n`);
  }
  expect(listFiles(folder)).toEqual([...listed, `${name}-checksums.txt`].sort());

  const materials = JSON.parse(await readFile(join(folder, `${name}.cdx.json`), 'utf8'));
  const bundled = materials.components.map((component: { name: string }) => component.name);
  expect(bundled).toEqual(expect.arrayContaining(['@grpc/grpc-js', 'axios', 'zod']));

  const unpacked = makeTemporaryFolder();
  await execa('tar', ['-xzf', join(folder, `${name}-windows-amd64.tar.gz`), '-C', unpacked]);
  const launcher = join(unpacked, 'pulumi-resource-postgres-compute');
  expect(await readFile(launcher, 'utf8')).not.toContain('\r');
  expect(await readFile(`${launcher}.cmd`, 'utf8')).toMatch(/^([^\r\n]*\r\n)+$/);
});
