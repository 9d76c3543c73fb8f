// Completes package-lock.json from the registry: adds the optional packages for other platforms that npm left out
// (`npm ci` refuses a lock without them) and the integrity hash of every entry without one.
// Run it after every `npm install` that changes the lock.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { withoutSecrets } from './child-environment.mjs';
import { listUnverified } from './setup/install-packages.mjs';

const FIELDS = ['version', 'dist.integrity', 'cpu', 'engines', 'libc', 'license', 'os'];

const [, , file = 'package-lock.json'] = process.argv;
const lock = JSON.parse(readFileSync(file, 'utf8'));
for (const [place, { dev, optionalDependencies = {} }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const at = `node_modules/${name}`;
    const isLocked = at in lock.packages || `${place}/${at}` in lock.packages;
    if (!isLocked) lock.packages[at] = { version, ...(dev && { dev }), optional: true };
  }
}
const incomplete = listUnverified(lock);
const unpublished = incomplete.filter((at) => !completeEntry(at));
if (unpublished.length > 0) {
  process.stderr.write(
    `The registry has no integrity hash for:\n${unpublished.map((at) => `  ${at} ${lock.packages[at].version}\n`).join('')}` +
      'Choose another version of the package that depends on them: one whose platform packages the registry has.\n',
  );
  process.exitCode = 1;
} else {
  // The order of npm. The root package, whose name is empty, comes first.
  const packages = Object.entries(lock.packages).sort(([left], [right]) => left.localeCompare(right, 'en'));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
  process.stdout.write(`${incomplete.length} completed\n`);
}

/** @param {string} at */
function completeEntry(at) {
  const { version: range, ...entry } = lock.packages[at];
  const name = entry.name ?? at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const { stdout } = spawnSync('npm', ['view', `${name}@${range}`, ...FIELDS, '--json'], {
    encoding: 'utf8',
    env: withoutSecrets(process.env),
  });
  const newest = [JSON.parse(stdout || '{}')].flat().at(-1); // A range returns a list, oldest first.
  const { version, 'dist.integrity': integrity, ...rest } = newest;
  if (integrity === undefined) return false;
  lock.packages[at] = { version, integrity, ...rest, ...entry };
  return true;
}
