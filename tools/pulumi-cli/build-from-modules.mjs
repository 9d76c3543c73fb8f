// Builds the Pulumi CLI, and its language host for Node.js, from the two pinned Go modules.
// The modules come from the Go module proxy and are verified against the committed go.sum files alone.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { goEnvironment } from '../child-environment.mjs';
import { runCommand, withProgress } from '../setup/run-command.mjs';
import { hashContents } from '../setup/stamps.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const VERSION_VARIABLE = 'github.com/pulumi/pulumi/sdk/v3/go/common/version.Version';
const RESOURCE_PLUGIN = 'pulumi-resource-pulumi-nodejs';
const BINARIES = [
  {
    name: 'pulumi',
    module: 'cli',
    pin: 'github.com/pulumi/pulumi/pkg/v3',
    command: 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi',
  },
  {
    name: 'pulumi-language-nodejs',
    module: 'language-nodejs',
    pin: 'github.com/pulumi/pulumi/sdk/v3',
    command: 'github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs',
  },
];

/** @type {typeof import('./build-from-modules.d.mts').pinnedVersion} */
export function pinnedVersion() {
  return readPin('cli', 'github.com/pulumi/pulumi/pkg/v3');
}

/** @type {typeof import('./build-from-modules.d.mts').hashPins} */
export function hashPins() {
  return hashContents(
    HERE,
    BINARIES.flatMap(({ module }) => [`${module}/go.mod`, `${module}/go.sum`]),
  );
}

/** @type {typeof import('./build-from-modules.d.mts').buildFromModules} */
export async function buildFromModules({ repository, workFolder, environment, log, signal, sdkInstalled }) {
  const env = goEnvironment(environment);
  checkGo(env);
  log(
    `building Pulumi ${pinnedVersion()} from its Go modules: some minutes, and 4 GB in Go's caches the first time`,
  );
  const folder = join(workFolder, 'built');
  mkdirSync(folder, { recursive: true });
  const failure = new AbortController();
  const either = AbortSignal.any(signal === undefined ? [failure.signal] : [failure.signal, signal]);
  // Both at once: the small one compiles while the modules of the large one arrive.
  const builds = BINARIES.map((binary) => buildBinary(binary, { folder, env, log, signal: either }));
  for (const build of builds) build.catch((error) => failure.abort(error));
  const results = await Promise.allSettled(builds);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failure.signal.aborted ? failure.signal.reason : failed.reason;
  await sdkInstalled;
  // Found on PATH instead of beside the binary, it prints a warning in every run.
  const plugin = join(folder, RESOURCE_PLUGIN);
  copyFileSync(join(repository, 'node_modules/@pulumi/pulumi', RESOURCE_PLUGIN), plugin);
  chmodSync(plugin, 0o755);
  return folder;
}

/**
 * @param {(typeof BINARIES)[number]} binary
 * @param {{ folder: string, env: NodeJS.ProcessEnv, log: (message: string) => void, signal: AbortSignal }} options
 */
async function buildBinary({ name, module, pin, command }, { folder, env, log, signal }) {
  const flags = `-s -w -X ${VERSION_VARIABLE}=v${readPin(module, pin)}`;
  const progress = { downloaded: 0, compiled: 0 };
  const result = await withProgress(
    log,
    (seconds) =>
      `building ${name}: ${seconds} s, ${progress.downloaded} modules downloaded, ${progress.compiled} packages compiled`,
    () =>
      runCommand('go', ['build', '-v', '-trimpath', '-ldflags', flags, '-o', join(folder, name), command], {
        cwd: join(HERE, module),
        env,
        signal,
        onLine: (line) => {
          if (line.startsWith('go: ')) progress.downloaded += 1;
          else progress.compiled += 1;
        },
      }),
  );
  if (result.code === 0) return;
  const problem = result.output
    .split('\n')
    .filter((line) => !/^[\w./-]+$|^go: downloading /.test(line))
    .join('\n');
  throw new Error(`Building ${name} from ${command} ended with exit code ${result.code}:\n${problem}`);
}

/** @param {NodeJS.ProcessEnv} env */
function checkGo(env) {
  const needed = /^go (\S+)$/m.exec(readFileSync(join(HERE, 'cli/go.mod'), 'utf8'))?.[1] ?? '';
  const { stdout, error } = spawnSync('go', ['env', 'GOVERSION'], { cwd: HERE, env, encoding: 'utf8' });
  const version = /^go(\d+\.\d+(\.\d+)?)/.exec(stdout ?? '')?.[1];
  const isRecent =
    version !== undefined && new Intl.Collator('en', { numeric: true }).compare(version, needed) >= 0;
  if (isRecent) return;
  throw new Error(
    `Building the Pulumi CLI needs Go ${needed} or newer, and ${version ? `this is Go ${version}` : 'no `go` runs here'}: ` +
      'install Go, put a Pulumi CLI with its language host for Node.js on PATH, or set PULUMI_CLI_INSTALLER=1 to ' +
      'allow the official installer, a download that no checksum verifies.',
    { cause: error },
  );
}

/**
 * @param {string} module
 * @param {string} pin
 */
function readPin(module, pin) {
  const file = join(HERE, module, 'go.mod');
  const version = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find(([word, path]) => word === 'require' && path === pin)?.[2];
  if (version === undefined) throw new Error(`${file} has no line \`require ${pin} VERSION\`: restore it.`);
  return version.replace(/^v/, '');
}
