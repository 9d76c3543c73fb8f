import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The packages whose files a bundle contains, as components of a CycloneDX document. `npm sbom` lists what a package installs,
 * but a bundle holds its development dependencies too.
 * @param {readonly string[]} files relative to `folder`, as esbuild's metafile has them
 * @param {string} folder
 */
export function listComponents(files, folder) {
  const packages = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  const components = [...new Set(packages)].map((path) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, path, 'package.json'), 'utf8'));
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: toLicenses(license) };
  });
  return components.sort((left, right) => (left.purl < right.purl ? -1 : 1));
}

/** @param {string} license an SPDX expression, such as `(MIT OR Apache-2.0)` */
function toLicenses(license) {
  return [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }];
}
