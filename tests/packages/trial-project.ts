// A user's program that has the packages installed, with its own node_modules, Node, state and service.
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import execa from 'execa';
import { pulumiEnvironment } from '../../tools/pulumi-cli/environment';
import { findPulumiCli } from '../../tools/pulumi-cli/find';
import { startPackedEmulator } from './packed-emulator';
import type { PackedPackage } from './run-trials';
import { countEndpoints, type ProgramKind, writeProgram } from './trial-program';

/** Installs what ./package.json lists, without prompts and without running third-party scripts. */
interface PackageManager {
  readonly command: string;
  readonly args: readonly string[];
}

const npm: PackageManager = {
  command: 'npm',
  args: ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'],
};

export interface TrialOptions {
  /** An empty folder for the whole trial. */
  readonly folder: string;
  readonly packages: readonly PackedPackage[];
  readonly program: ProgramKind;
  /** Other dependencies, such as `{ '@pulumi/pulumi': '3.248.0' }`. */
  readonly dependencies: Readonly<Record<string, string>>;
  /** The folder of the Node to use. @default the one that runs this script */
  readonly nodeFolder?: string;
  readonly packageManager?: PackageManager;
  /** A command that builds the program once everything is installed. */
  readonly build?: readonly [command: string, ...args: string[]];
}

/** The versions that a trial ran with. */
export interface TrialReport {
  /** As reported by the program. */
  readonly node: string;
  readonly pulumi: string | undefined;
  readonly typescript: string | undefined;
}

export function describeTrial({ node, pulumi, typescript }: TrialReport): string {
  return `up, preview, destroy with Node ${node}, @pulumi/pulumi ${pulumi}, TypeScript ${typescript}`;
}

/** An empty project with the packages installed from their tarballs. */
export class TrialProject {
  readonly folder: string;
  readonly #options: TrialOptions;
  readonly #environment: Record<string, string>;
  readonly #pulumi: string;

  constructor(options: TrialOptions) {
    const cli = findPulumiCli();
    if (!cli) throw new Error('No Pulumi CLI found: run `npm run setup`.');
    this.folder = join(options.folder, 'program');
    this.#options = options;
    this.#pulumi = cli.command;
    const { PATH, ...rest } = pulumiEnvironment({
      home: join(options.folder, 'home'),
      backend: join(options.folder, 'backend'),
      cli,
    });
    const path = [options.nodeFolder, PATH].filter(Boolean).join(delimiter);
    this.#environment = { ...rest, PATH: path };
  }

  /** Creates the project and installs its dependencies. */
  async install(): Promise<void> {
    const { folder, packages, program, dependencies, packageManager = npm, build } = this.#options;
    await Promise.all([mkdir(this.folder), mkdir(join(folder, 'backend'))]);
    const tarballs = packages.map(({ name, tarball }) => [name, `file:${tarball}`] as const);
    await writeProgram(this.folder, program, { ...Object.fromEntries(tarballs), ...dependencies });
    const shared = join(folder, 'shared');
    for (const cwd of [...(existsSync(shared) ? [shared] : []), this.folder])
      await this.run(packageManager.command, packageManager.args, {}, cwd);
    if (build) await this.run(build[0], build.slice(1));
  }

  /** Runs a command that must succeed, in the project. Returns its stdout. */
  async run(
    command: string,
    args: readonly string[],
    environment: Record<string, string> = {},
    cwd = this.folder,
  ) {
    const env = { ...this.#environment, ...environment };
    const options = { cwd, env, extendEnv: false, all: true, reject: false } as const;
    const { exitCode, all, stdout } = await execa(command, args, { ...options, stdin: 'ignore' });
    if (exitCode === 0) return stdout;
    throw new Error(`${command} ${args.join(' ')}: exit code ${exitCode}\n${all ?? ''}`);
  }

  /** The path of an installed package's command. */
  command(name: string): string {
    return join(this.folder, 'node_modules', '.bin', name);
  }

  /** Runs up, a preview without changes, and destroy, with the installed emulator. */
  async runLifecycle(): Promise<TrialReport> {
    const command = this.command('postgres-control-emulator');
    const { settings, projectId, branchId, stop } = await startPackedEmulator(
      command,
      this.folder,
      this.#environment,
    );
    const pulumi = (...args: string[]) => this.run(this.#pulumi, args);
    const requireEndpoints = async (wanted: number) => {
      const words = ['endpoints', 'list', '--project', projectId, '--branch', branchId, '--json'];
      const listed = await this.run(this.command('postgres-compute'), words, settings);
      const { endpoints } = JSON.parse(listed) as { endpoints: object[] };
      if (endpoints.length !== wanted) throw new Error(`Not ${wanted} endpoints on the branch:\n${listed}`);
    };
    try {
      await pulumi('stack', 'init', 'trial');
      // In the stack's config: this fails with an SDK that is too old to pass it to the host.
      for (const prefix of ['postgresCompute', 'postgres-compute']) {
        await pulumi('config', 'set', `${prefix}:baseUrl`, settings.POSTGRES_COMPUTE_BASE_URL);
        await pulumi('config', 'set', '--secret', `${prefix}:apiKey`, settings.POSTGRES_COMPUTE_API_KEY);
      }
      await pulumi('config', 'set', 'projectId', projectId);
      await pulumi('config', 'set', 'branchId', branchId);
      await pulumi('up', '--yes');
      await pulumi('preview', '--expect-no-changes');
      await requireEndpoints(countEndpoints(this.#options.program));
      const { node } = JSON.parse(await pulumi('stack', 'output', '--json')) as { node: string }; // See trial-program.ts.
      await pulumi('destroy', '--yes');
      await requireEndpoints(0);
      return { node, pulumi: this.#versionOf('@pulumi/pulumi'), typescript: this.#versionOf('typescript') };
    } finally {
      await stop();
    }
  }

  #versionOf(name: string): string | undefined {
    const file = join(this.folder, 'node_modules', name, 'package.json');
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined;
  }

  /** Type-checks a file with the project's TypeScript, including the packages' declarations. */
  async checkTypes(file: string, text: string): Promise<void> {
    await writeFile(join(this.folder, file), text);
    const options = '--noEmit --strict --module nodenext --target es2022 --skipLibCheck false --types node';
    await this.run(this.command('tsc'), ['--ignoreConfig', ...options.split(' '), file]);
  }
}
