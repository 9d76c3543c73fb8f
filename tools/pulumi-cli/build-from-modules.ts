import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { goEnvironment } from '../child-environment.mjs';
import { runCommand } from '../setup/run-command.mjs';
import { isOlder } from './find';
import { BINARIES, oldestGo, PYTHON_SCRIPT, pinnedVersion, RESOURCE_PLUGIN } from './pins';

export interface InstallStep {
  /** An empty folder for the binaries. */
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: (message: string) => void;
  readonly signal: AbortSignal | undefined;
}

const SDK = join(__dirname, '../../node_modules/@pulumi/pulumi');

/**
 * Builds the CLI and its language hosts into `folder`, which takes several minutes. The modules come from the Go module
 * proxy; Go verifies them against the committed go.sum files alone.
 */
export async function buildFromModules({ folder, environment, log, signal }: InstallStep): Promise<void> {
  const env = goEnvironment(environment);
  checkGo(env);
  log(`building Pulumi ${pinnedVersion()} with Go: some minutes, and 4 GB in Go's caches the first time`);
  for (const binary of BINARIES) {
    const flags = `-s -w -X ${binary.versionVariable}=v${pinnedVersion(binary)}`;
    const target = join(folder, binary.name);
    await runCommand(['go', 'build', '-trimpath', '-ldflags', flags, '-o', target, binary.command], {
      name: `go build of ${binary.name}`,
      cwd: join(__dirname, binary.folder),
      env,
      log,
      signal,
    });
  }
  // If it were on PATH instead of beside the binary, every run would print a warning.
  copyProgram(join(SDK, RESOURCE_PLUGIN), folder);
  const module = ['list', '-m', '-f', '{{.Dir}}', 'github.com/pulumi/pulumi/sdk/v3'];
  const { stdout } = spawnSync('go', module, {
    cwd: join(__dirname, 'language-nodejs'),
    env,
    encoding: 'utf8',
  });
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
  throw new Error(
    `Building the Pulumi CLI needs Go ${needed} or newer, and ${version ? `this is Go ${version}` : '`go` does not run'}: ` +
      'install Go, put a Pulumi CLI with its language hosts on PATH, or set PULUMI_CLI_INSTALLER=1 to ' +
      'allow the official installer, a download that no checksum verifies.',
    { cause: error },
  );
}
