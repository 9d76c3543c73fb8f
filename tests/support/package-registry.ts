import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import execa from 'execa';
import { onTestFinished } from 'vitest';
import { repository } from './documents';
import { makeTemporaryFolder } from './temporary-folder';

interface Release {
  readonly name: string;
  readonly version: string;
  /** The folder of the package, or its tarball. */
  readonly path: string;
}

/**
 * A registry on loopback that has this repository's npm package, every npm package in its node_modules, and the Python packages
 * of a folder. Returns the settings of npm and pip for it.
 */
export async function startPackageRegistry(wheels: string): Promise<Record<string, string>> {
  const releases = [...listInstalled(), await packProvider()];
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    const [, kind, name = ''] = /^\/(npm|pip)\/(.*)$/.exec(decodeURIComponent(request.url ?? '')) ?? [];
    const answer = kind === 'npm' ? answerNpm(releases, name, `${origin}/npm`) : answerPip(wheels, name);
    if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': answer.type }).end(answer.content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo; // Of a TCP server.
  return {
    npm_config_registry: `http://127.0.0.1:${port}/npm/`,
    npm_config_cache: makeTemporaryFolder(),
    PIP_INDEX_URL: `http://127.0.0.1:${port}/pip/`,
    PIP_FIND_LINKS: '',
  };
}

function listInstalled(): Release[] {
  const lock = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));
  const entries = Object.entries<{ version?: string; link?: boolean }>(lock.packages); // npm's documented format.
  return entries.flatMap(([path, { version, link }]) => {
    const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? [];
    return name && version && !link ? [{ name, version, path: join(repository, path) }] : [];
  });
}

async function packProvider(): Promise<Release> {
  const folder = makeTemporaryFolder();
  const words = [
    'pack',
    '--workspace',
    'provider',
    '--ignore-scripts',
    '--json',
    '--pack-destination',
    folder,
  ];
  const { stdout } = await execa('npm', words, { cwd: repository });
  const [{ name, version, filename }] = JSON.parse(stdout);
  return { name, version, path: join(folder, filename) };
}

function answerNpm(releases: readonly Release[], path: string, origin: string) {
  const [name = '', version] = path.split('/-/');
  const named = releases.filter((release) => release.name === name);
  if (version !== undefined) {
    const wanted = named.find((release) => `${release.version}.tgz` === version);
    return wanted && { type: 'application/octet-stream', content: readTarball(wanted.path) };
  }
  const versions = named.map((release) => [
    release.version,
    { ...readManifest(release.path), dist: { tarball: `${origin}/${name}/-/${release.version}.tgz` } },
  ]);
  const [[latest] = []] = versions;
  const text = { name, 'dist-tags': { latest }, versions: Object.fromEntries(versions) };
  return latest === undefined
    ? undefined
    : { type: 'application/json', content: Buffer.from(JSON.stringify(text)) };
}

function readManifest(path: string): object {
  return path.endsWith('.tgz')
    ? JSON.parse(tar('-xzOf', path, 'package/package.json').toString())
    : JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
}

/** A tarball in which the files are in `package/`, as npm requires. */
function readTarball(path: string): Buffer {
  if (path.endsWith('.tgz')) return readFileSync(path);
  const folder = mkdtempSync(join(tmpdir(), 'postgres-compute-package-'));
  symlinkSync(path, join(folder, 'package'));
  // Not compressed, which npm accepts.
  const tarball = tar('-chf', '-', '--exclude=node_modules', '-C', folder, 'package');
  rmSync(folder, { recursive: true });
  return tarball;
}

function tar(...words: string[]): Buffer {
  const { stdout, status } = spawnSync('tar', words, { maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`tar ${words.join(' ')}: exit ${status}`);
  return stdout;
}

function answerPip(wheels: string, path: string) {
  const files = readdirSync(wheels);
  if (files.includes(path))
    return { type: 'application/octet-stream', content: readFileSync(join(wheels, path)) };
  const project = path.replace(/\/$/, '');
  const links = files
    .filter((file) => file.split('-')[0]?.toLowerCase().replaceAll(/[._]/g, '-') === project)
    .map((file) => `<a href="../${file}">${file}</a>`);
  return links.length > 0 ? { type: 'text/html', content: Buffer.from(links.join('\n')) } : undefined;
}
