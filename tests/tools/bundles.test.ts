import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa from 'execa';
import { expect, it } from 'vitest';
import { describeLicenses } from '../../tools/release/bundled-packages.mjs';
import { repository } from '../support/documents';
import { makeTemporaryFolder, writeFiles } from '../support/temporary-folder';

const bundles = ['plugin/main.js', 'dist/bundles/runtime.js', 'dist/bundles/index.js'];

it.each(bundles)('%s needs neither fetch nor forms', async (name) => {
  const bundle = join(repository, 'provider', name);
  // The plugin writes its port to stdout.
  const script = `
    require(${JSON.stringify(bundle)});
    process.stderr.write(process.moduleLoadList.join('\\n'));
    process.exit(0);`;
  const { stderr: loaded } = await execa(process.execPath, ['-e', script]);
  // What axios does need: the list is complete.
  expect(loaded).toMatch(/NativeModule https/);
  expect(loaded).not.toMatch(/undici/);
  const text = await readFile(bundle, 'utf8');
  // A bundle names the CommonJS files that it holds.
  const holds = (library: string) => text.includes(`node_modules/${library}/`);
  expect(['follow-redirects', 'form-data', 'lodash'].map(holds)).toEqual([true, false, false]);
});

it.each(bundles)('%s comes with the license of each package in it', async (name) => {
  const bundle = join(repository, 'provider', name);
  const [code, licenses] = await Promise.all([
    readFile(bundle, 'utf8'),
    readFile(`${bundle}.LEGAL.txt`, 'utf8'),
  ]);
  const packages = [...code.matchAll(/node_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//g)].map(([, found]) => found);
  expect(packages).toContain('follow-redirects');
  expect([...new Set(packages)].filter((found) => !licenses.includes(`${found} `))).toEqual([]);
  expect(licenses).toMatch(/^axios \S+ \(MIT\)\n\n# Copyright/m);
});

it('the licenses have the notices of a package, too', () => {
  const folder = makeTemporaryFolder();
  const manifest = { name: 'a', version: '1.0.0', license: 'Apache-2.0' };
  const texts = { LICENSE: 'the terms', NOTICE: 'the notice', 'index.js': '' };
  writeFiles(join(folder, 'node_modules/a'), { 'package.json': manifest, ...texts });
  expect(describeLicenses(['node_modules/a/index.js'], folder)).toBe(
    'a 1.0.0 (Apache-2.0)\n\nthe terms\n\nthe notice\n\n---\n\n',
  );
});
