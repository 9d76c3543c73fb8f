import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ name: string, version: string, license: string, folder: string }} BundledPackage */

/**
 * The packages whose files a bundle contains.
 * @param {readonly string[]} files relative to `root`, as esbuild's metafile has them
 * @param {string} root
 * @returns {BundledPackage[]}
 */
export function listPackages(files, root) {
  const found = files.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(found)].sort().map((path) => {
    const folder = join(root, path);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { name, version, license, folder };
  });
}

/**
 * The license and the notices of each package in a bundle.
 * @param {readonly string[]} files
 * @param {string} root
 * @throws Error when a package has neither a license file nor a license in its README
 */
export function describeLicenses(files, root) {
  return listPackages(files, root)
    .map(
      ({ name, version, license, folder }) =>
        `${name} ${version} (${license})\n\n${readLicense(folder)}\n\n---\n\n`,
    )
    .join('');
}

/** @param {string} folder */
function readLicense(folder) {
  const names = readdirSync(folder);
  const read = (/** @type {string} */ name) => readFileSync(join(folder, name), 'utf8');
  const texts = names.filter((name) => /^(licen[cs]e|notice|copying)/i.test(name)).map(read);
  if (texts.length > 0) return texts.map((text) => text.trim()).join('\n\n');
  const [, section] = /^licen[cs]e\n-+\n([\s\S]+)$/im.exec(read('README.md')) ?? [];
  if (section === undefined) throw new Error(`${folder} has no license to reproduce`);
  return section.trim();
}
