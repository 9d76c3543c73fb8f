import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installPackages, whyPackagesAreStale } from '../../tools/setup/install-packages.mjs';
import { makeTemporaryFolder, writeFiles } from '../temporary-folder';

const LEFT_PAD = { version: '1.3.0', integrity: 'sha512-left' };
const DARWIN_ONLY = { version: '2.0.0', integrity: 'sha512-darwin', optional: true };
const LOCK = {
  packages: { '': {}, 'node_modules/left-pad': LEFT_PAD, 'node_modules/darwin-only': DARWIN_ONLY },
};
const STAMP = 'node_modules/.setup-stamp.json';

/** As `npm ci` leaves it on a platform that the optional package is not for. */
function installedByHand(): string {
  const repository = makeTemporaryFolder();
  writeFiles(repository, {
    'package-lock.json': LOCK,
    'node_modules/.package-lock.json': { packages: { 'node_modules/left-pad': LEFT_PAD } },
  });
  return repository;
}

test('asks for npm ci on a bare clone', () => {
  const repository = makeTemporaryFolder();
  writeFiles(repository, { 'package-lock.json': LOCK });

  expect(whyPackagesAreStale(repository)).toBe('node_modules is missing or incomplete');
});

test('accepts what npm has installed by hand from the same lock', () => {
  const repository = installedByHand();

  expect(whyPackagesAreStale(repository)).toBeUndefined();
  expect(existsSync(join(repository, STAMP))).toBe(true);
});

test.each([
  ['another version', { 'node_modules/left-pad': { ...LEFT_PAD, version: '1.2.0' } }],
  ['a missing package', {}],
  [
    'a package that is not in the lock',
    { 'node_modules/left-pad': LEFT_PAD, 'node_modules/extra': { version: '1.0.0' } },
  ],
])('asks for npm ci when node_modules holds %s', (_what, packages) => {
  const repository = installedByHand();
  writeFiles(repository, { 'node_modules/.package-lock.json': { packages } });

  expect(whyPackagesAreStale(repository)).toBe('node_modules does not match package-lock.json');
});

test('asks for npm ci when the lock asks for another version than the stamp was written for', () => {
  const repository = installedByHand();
  whyPackagesAreStale(repository);
  writeFiles(repository, {
    'package-lock.json': { packages: { 'node_modules/left-pad': { ...LEFT_PAD, version: '1.4.0' } } },
  });

  expect(whyPackagesAreStale(repository)).toBe('node_modules does not match package-lock.json');
});

test('asks for npm ci when node_modules was installed by another Node', () => {
  const repository = installedByHand();
  writeFiles(repository, { [STAMP]: { lock: 'any', platform: 'Node 1 on beos ppc' } });

  expect(whyPackagesAreStale(repository)).toMatch(
    /^node_modules was installed for Node 1 on beos ppc, this is /,
  );
});

test('asks for npm ci when an earlier one was interrupted', () => {
  const repository = installedByHand();
  whyPackagesAreStale(repository);
  rmSync(join(repository, 'node_modules/.package-lock.json'));

  expect(whyPackagesAreStale(repository)).toBe('node_modules is missing or incomplete');
});

test('says that package-lock.json is missing and leaves node_modules alone', async () => {
  const repository = installedByHand();
  rmSync(join(repository, 'package-lock.json'));

  await expect(installPackages({ repository, log: () => {} })).rejects.toThrow(
    /has no readable one: restore it/,
  );

  expect(existsSync(join(repository, 'node_modules/.package-lock.json'))).toBe(true);
});
