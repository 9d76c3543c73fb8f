import { listPackages } from './bundled-packages.mjs';

/**
 * The packages whose files a bundle contains, as components of a CycloneDX document. `npm sbom` lists what a package installs,
 * but a bundle holds its development dependencies too.
 * @param {readonly string[]} files relative to `folder`, as esbuild's metafile has them
 * @param {string} folder
 */
export function listComponents(files, folder) {
  const components = listPackages(files, folder).map(({ name, version, license }) => {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: toLicenses(license) };
  });
  return components.sort((left, right) => (left.purl < right.purl ? -1 : 1));
}

/** @param {string} license an SPDX expression, such as `(MIT OR Apache-2.0)` */
function toLicenses(license) {
  return [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }];
}
