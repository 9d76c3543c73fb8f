import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import execa from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { installPackages, listUnverified } from '../../tools/setup/install-packages.mjs';
import { makeTemporaryFolder, writeFiles } from '../support/temporary-folder';

const TOOL = resolve('tools/complete-lockfile.mjs');
const PARENT = {
  version: '1.0.0',
  integrity: 'sha512-parent',
  dev: true,
  optionalDependencies: { '@parent/darwin-arm64': '1.0.0' },
};
const PUBLISHED = { name: '@parent/darwin-arm64', version: '1.0.0', os: ['darwin'], cpu: ['arm64'] };

/** Starts a package registry with the given versions of one package. Returns its URL. */
async function startRegistry(versions: Record<string, object>): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name: PUBLISHED.name, 'dist-tags': { latest: '1.0.0' }, versions }));
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // Of a server that listens on a port.
  return `http://127.0.0.1:${port}/`;
}

async function complete(packages: object, registry: string) {
  const folder = makeTemporaryFolder();
  writeFiles(folder, { 'package-lock.json': { lockfileVersion: 3, packages } });
  const env = { npm_config_registry: registry, npm_config_cache: join(folder, 'cache') };
  const result = await execa(process.execPath, [TOOL], { cwd: folder, env, reject: false });
  return { ...result, lock: JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) };
}

test('every entry of package-lock.json has an integrity hash', () => {
  expect(listUnverified(JSON.parse(readFileSync('package-lock.json', 'utf8')))).toEqual([]);
});

test('set-up refuses entries without an integrity hash, and names them', async () => {
  const repository = makeTemporaryFolder();
  writeFiles(repository, {
    'package-lock.json': {
      packages: {
        '': {},
        provider: { version: '0.1.0' },
        'node_modules/provider': { link: true },
        'node_modules/parent': PARENT,
        'node_modules/bare': { version: '1.0.0' },
        'provider/node_modules/weak': { version: '1.0.0', integrity: 'sha1-weak' },
      },
    },
  });

  await expect(installPackages({ repository, log: () => {} })).rejects.toThrow(
    'package-lock.json has no SHA-512 hash for node_modules/bare, provider/node_modules/weak: run node tools/complete-lockfile.mjs.',
  );
  expect(existsSync(join(repository, 'node_modules'))).toBe(false);
});

test('complete-lockfile adds a package that npm left out, with its hash', async () => {
  const dist = { integrity: 'sha512-published', tarball: 'http://127.0.0.1/x.tgz' };
  const registry = await startRegistry({ '1.0.0': { ...PUBLISHED, dist } });

  const { lock } = await complete({ '': {}, 'node_modules/parent': PARENT }, registry);

  expect(lock.packages).toEqual({
    '': {},
    'node_modules/@parent/darwin-arm64': {
      version: '1.0.0',
      integrity: 'sha512-published',
      os: ['darwin'],
      cpu: ['arm64'],
      dev: true,
      optional: true,
    },
    'node_modules/parent': PARENT,
  });
});

test('complete-lockfile fails on a package that the registry lacks', async () => {
  const packages = { '': {}, 'node_modules/parent': PARENT };

  const { exitCode, stderr, lock } = await complete(packages, await startRegistry({}));

  expect(exitCode).toBe(1);
  expect(stderr).toContain('no integrity hash for:\n  node_modules/@parent/darwin-arm64 1.0.0\n');
  expect(lock.packages).toEqual(packages);
});
