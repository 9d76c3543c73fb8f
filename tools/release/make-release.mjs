// Writes the files of a GitHub release into .release: the plugin for each platform, the bill of materials, the checksums.
// The archives are equal, because the plugin is JavaScript: each has the launchers of all platforms.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plugin } from '../bundle.mjs';
import { listPackages } from './bundled-packages.mjs';

const PLATFORMS = ['linux-amd64', 'linux-arm64', 'darwin-amd64', 'darwin-arm64', 'windows-amd64'];

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, '.release');
const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));
const name = `pulumi-resource-postgres-compute-v${version}`;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
execFileSync('npm', ['run', 'plugin:pack'], { cwd: root, stdio: 'inherit' });
const archives = PLATFORMS.map((platform) => `${name}-${platform}.tar.gz`);
for (const archive of archives) copyFileSync(join(root, `${name}.tar.gz`), join(folder, archive));

// As CycloneDX. `npm sbom` lists what a package installs, but the bundle holds its development dependencies too.
const bundled = listPackages(Object.keys(plugin.metafile?.inputs ?? {}), join(root, 'provider'));
const components = bundled.map(({ name, version, license }) => {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  // An SPDX expression is such as `(MIT OR Apache-2.0)`.
  const licenses = [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }];
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses };
});
const component = { type: 'application', name: 'pulumi-resource-postgres-compute', version };
const materials = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component },
  components,
};
const billOfMaterials = `${name}.cdx.json`;
writeFileSync(join(folder, billOfMaterials), `${JSON.stringify(materials, null, 2)}\n`);

const checksums = [...archives, billOfMaterials].map((file) => {
  const hash = createHash('sha256').update(readFileSync(join(folder, file)));
  return `${hash.digest('hex')}  ${file}\n`;
});
writeFileSync(join(folder, `${name}-checksums.txt`), checksums.join(''));
