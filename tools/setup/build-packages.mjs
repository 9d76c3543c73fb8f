// tsc --build, when the sources of a workspace package are not those its dist was built from.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runCommand, withProgress } from './run-command.mjs';
import { hashContents, hashSizes, listFiles, readStamp, writeStamp } from './stamps.mjs';

const STAMP = '.setup-stamp.json';
const OUTPUT_OF_SOURCE = /\.(d\.ts|js)(\.map)?$/;

/** @type {typeof import('./build-packages.d.mts').whyBuildIsStale} */
export function whyBuildIsStale(repository) {
  for (const name of packageFolders(repository)) {
    const dist = join(repository, name, 'dist');
    const stamp = readStamp(join(dist, STAMP));
    if (!existsSync(dist)) return `${name}/dist is missing`;
    if (stamp === undefined) return `${name}/dist was not built by the set-up`;
    if (stamp.sources !== hashSources(repository, name))
      return `the sources or settings of ${name} have changed`;
    if (stamp.outputs !== hashOutputs(dist)) return `${name}/dist has been changed`;
  }
  return undefined;
}

/** @type {typeof import('./build-packages.d.mts').buildPackages} */
export async function buildPackages({ repository, log, signal }) {
  const names = packageFolders(repository);
  for (const name of names) rmSync(join(repository, name, 'dist', STAMP), { force: true });
  // Hashed before the build: a source saved while it runs is built again next time.
  const sources = names.map((name) => hashSources(repository, name));
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  // --force, because tsc trusts modification times: those of restored or copied files may be old.
  const { code, output } = await withProgress(
    log,
    (seconds) => `tsc --build: ${seconds} s`,
    () => runCommand(process.execPath, [compiler, '--build', '--force'], { cwd: repository, signal }),
  );
  if (code !== 0) throw new Error(`tsc --build found errors, correct them and start again:\n${output}`);
  names.forEach((name, index) => {
    const dist = join(repository, name, 'dist');
    removeOrphans(join(repository, name, 'src'), dist);
    writeStamp(join(dist, STAMP), { sources: sources[index], outputs: hashOutputs(dist) });
  });
}

/**
 * @param {string} repository
 * @returns {string[]}
 */
function packageFolders(repository) {
  const { references } = JSON.parse(readFileSync(join(repository, 'tsconfig.json'), 'utf8'));
  return references.map((/** @type {{ path: string }} */ reference) => reference.path);
}

/**
 * @param {string} repository
 * @param {string} name
 */
function hashSources(repository, name) {
  const sources = listFiles(join(repository, name, 'src')).map((file) => `${name}/src/${file}`);
  // package.json says ES module or CommonJS; package-lock.json says which TypeScript and which typings.
  const settings = ['package-lock.json', 'tsconfig.json', `${name}/package.json`, `${name}/tsconfig.json`];
  return hashContents(repository, [...settings, ...sources]);
}

/** @param {string} dist */
function hashOutputs(dist) {
  return hashSizes(
    dist,
    listFiles(dist).filter((file) => !basename(file).startsWith(STAMP)),
  );
}

/**
 * tsc leaves the output of a deleted or renamed source where it is, and npm would publish it.
 * @param {string} src
 * @param {string} dist
 */
function removeOrphans(src, dist) {
  for (const file of listFiles(dist).filter((name) => OUTPUT_OF_SOURCE.test(name))) {
    if (!existsSync(join(src, file.replace(OUTPUT_OF_SOURCE, '.ts')))) rmSync(join(dist, file));
  }
}
