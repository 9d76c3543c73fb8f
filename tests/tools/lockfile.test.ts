import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installPackages, listUnverified } from '../../tools/setup/install-packages.mjs';
import { makeTemporaryFolder, writeFiles } from '../support/temporary-folder';

const PARENT = {
  version: '1.0.0',
  integrity: 'sha512-parent',
  dev: true,
  optionalDependencies: { '@parent/darwin-arm64': '1.0.0' },
};

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
    'package-lock.json has no SHA-512 hash for node_modules/bare, provider/node_modules/weak: delete these entries and run npx npm@11 install --package-lock-only.',
  );
  expect(existsSync(join(repository, 'node_modules'))).toBe(false);
});
