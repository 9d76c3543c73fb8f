import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { goEnvironment } from '../child-environment.mjs';
import { withLock } from '../setup/lock.mjs';
import { runCommand } from '../setup/run-command.mjs';
import {
  cliFolder,
  type FindOptions,
  findPulumiCli,
  isOlder,
  OLDEST_PULUMI,
  type PulumiCli,
  RECORD,
} from './find';
import { BINARIES, hashPins, nameOf, oldestGo, PYTHON_SCRIPT, pinnedVersion, RESOURCE_PLUGIN } from './pins';

interface EnsureOptions extends FindOptions {
  signal?: AbortSignal;
}

const SDK = join(__dirname, '../../node_modules/@pulumi/pulumi');

/** Finds a CLI, or else builds one from the pinned Go modules. */
export async function ensurePulumiCli(options: EnsureOptions = {}): Promise<PulumiCli> {
  const { environment = process.env, log = () => {}, signal } = options;
  const found = findPulumiCli({ environment });
  if (found !== undefined) return found;
  const folder = cliFolder(environment);
  // Other clones may share the folder.
  return withLock(join(folder, 'install.lock'), { log, signal }, async () => {
    const builtByOther = findPulumiCli({ environment, log });
    if (builtByOther !== undefined) return builtByOther;
    log(`no Pulumi CLI ${OLDEST_PULUMI} or newer on PATH or in ${folder}`);
    await buildInto(folder, { env: goEnvironment(environment), log, signal });
    const built = findPulumiCli({ environment, log });
    if (built !== undefined) return built;
    throw new Error(`The Pulumi CLI just built in ${folder} does not run: delete that folder and retry.`);
  });
}

interface BuildOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

async function buildInto(folder: string, options: BuildOptions): Promise<void> {
  const unfinished = join(folder, 'unfinished');
  rmSync(unfinished, { recursive: true, force: true }); // Left by a set-up that was killed.
  mkdirSync(unfinished, { recursive: true });
  try {
    await buildFromModules(unfinished, options);
    // One by one, because the folder may hold other files. `pulumi` sorts before the names that begin with it, so it comes
    // last here: until then, the folder has no CLI or the previous one.
    const names = readdirSync(unfinished).sort().reverse();
    for (const name of names) renameSync(join(unfinished, name), join(folder, name));
    writeFileSync(join(folder, RECORD), JSON.stringify({ version: pinnedVersion(), pins: hashPins() }));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/**
 * Builds the CLI and its language hosts into an empty folder. The modules come from the Go module proxy; Go verifies them
 * against the committed go.sum files alone.
 */
async function buildFromModules(folder: string, { env, log, signal }: BuildOptions): Promise<void> {
  checkGo(env);
  log(`building Pulumi ${pinnedVersion()} with Go: some minutes, and 4 GB in Go's caches the first time`);
  for (const binary of BINARIES) {
    const name = nameOf(binary);
    const flags = `-s -w -X ${binary.versionVariable}=v${pinnedVersion(binary)}`;
    const build = ['go', 'build', '-trimpath', '-ldflags', flags, '-o', join(folder, name), binary.command];
    const cwd = join(__dirname, binary.folder);
    await runCommand(build, { name: `go build of ${name}`, cwd, env, log, signal });
  }
  // If it were on PATH instead of beside the binary, every run would print a warning.
  copyProgram(join(SDK, RESOURCE_PLUGIN), folder);
  const module = ['list', '-m', '-f', '{{.Dir}}', 'github.com/pulumi/pulumi/sdk/v3'];
  const cwd = join(__dirname, 'language-nodejs');
  const { stdout } = spawnSync('go', module, { cwd, env, encoding: 'utf8' });
  copyProgram(join(stdout.trim(), 'python/cmd', PYTHON_SCRIPT), folder);
}

function copyProgram(file: string, folder: string): void {
  const copy = join(folder, basename(file));
  copyFileSync(file, copy);
  chmodSync(copy, 0o755);
}

function checkGo(env: NodeJS.ProcessEnv): void {
  const needed = oldestGo();
  const { stdout, error } = spawnSync('go', ['env', 'GOVERSION'], { cwd: __dirname, env, encoding: 'utf8' });
  const version = /^go(\d+\.\d+(\.\d+)?)/.exec(stdout ?? '')?.[1];
  if (version !== undefined && !isOlder(version, needed)) return;
  const found = version ? `this is Go ${version}` : '`go` does not run';
  const advice = 'install Go, or put a Pulumi CLI with its language hosts on PATH';
  const message = `Building the Pulumi CLI needs Go ${needed} or newer, and ${found}: ${advice}.`;
  throw new Error(message, { cause: error });
}
