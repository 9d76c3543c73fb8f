import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import execa, { type ExecaError } from 'execa';
import { memoize } from 'lodash';
import { type EmulatorOptions, startEmulator } from 'postgres-control-emulator';
import { pulumiEnvironment } from '../../tools/pulumi-cli/environment';
import { findPulumiCli } from '../../tools/pulumi-cli/find';
import { repository } from './documents';

/** A resource as `pulumi stack export` shows it. */
export interface ExportedResource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
  readonly initErrors?: string[];
  /** Where the program declares it: `project:///index.ts#8,3`. */
  readonly sourcePosition?: string;
}

export interface CommandResult {
  readonly exitCode: number;
  /** stdout and stderr, interleaved as on a screen. */
  readonly screen: string;
  readonly stdout: string;
}

const findCli = memoize(findPulumiCli);

/** The text of a screen, without the line breaks and indents of its layout. */
export const flat = (screen: string) => screen.replace(/\s+/g, ' ');

/** A Pulumi stack in its own folder, driven by the real CLI. */
export class PulumiStack {
  readonly folder: string;
  readonly command: string;
  /** The folder that holds the state. */
  readonly backend: string;
  environment: NodeJS.ProcessEnv;

  constructor(folder: string, command: string, backend: string, environment: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.backend = backend;
    this.command = command;
    this.environment = environment;
  }

  /** Runs a command that may fail. */
  async try(...args: string[]): Promise<CommandResult> {
    const result = await this.start(...args).catch((error: ExecaError) => error);
    return { exitCode: result.exitCode ?? -1, screen: String(result.all), stdout: String(result.stdout) };
  }

  /** Runs a command that must succeed. */
  async run(...args: string[]): Promise<CommandResult> {
    const result = await this.try(...args);
    if (result.exitCode !== 0)
      throw new Error(`pulumi ${args.join(' ')}: exit ${result.exitCode}\n${result.screen}`);
    return result;
  }

  start(...args: string[]) {
    const { command, folder: cwd, environment: env } = this;
    return execa(command, args, { cwd, env, extendEnv: false, all: true, stdin: 'ignore' });
  }

  /** Sets values of the stack's config that are no secrets. */
  async setConfig(values: Readonly<Record<string, string>>): Promise<void> {
    const words = Object.entries(values).flatMap(([key, value]) => ['--plaintext', `${key}=${value}`]);
    await this.run('config', 'set-all', ...words);
  }

  async writeProgram(program: string): Promise<void> {
    await writeFile(join(this.folder, 'index.ts'), program);
  }

  async exportState(): Promise<{ text: string; endpoints: ExportedResource[] }> {
    const { stdout: text } = await this.run('stack', 'export');
    const { deployment } = JSON.parse(text) as { deployment: { resources?: ExportedResource[] } };
    const endpoints = (deployment.resources ?? []).filter(({ type }) => type.endsWith(':ComputeEndpoint'));
    return { text, endpoints };
  }
}

/** Creates an empty Pulumi project in a temporary folder, with a stack of this name. */
export async function makeProject(
  fill: (folder: string) => Promise<unknown>,
  settings: Readonly<Record<string, string>>,
  stackName = 'test',
) {
  const cli = findCli();
  if (!cli) throw new Error('No Pulumi CLI found: run `npm run setup`.');
  const root = await mkdtemp(join(tmpdir(), 'postgres-compute-test-'));
  const remove = () => rm(root, { recursive: true, force: true });
  const folder = join(root, 'program');
  await mkdir(folder);
  const backend = join(root, 'backend');
  await mkdir(backend);
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
  await fill(folder);
  const environment = pulumiEnvironment({ home: join(root, 'home'), backend, cli });
  const NODE_OPTIONS = `--require ${JSON.stringify(join(__dirname, 'compile-cache.js'))}`;
  // A check of types takes seconds of each command: tsc checks those of the examples, package-types.test.ts those of the pages.
  const all = { ...environment, NODE_OPTIONS, PULUMI_NODEJS_TRANSPILE_ONLY: 'true', ...settings };
  const stack = new PulumiStack(folder, cli.command, backend, all);
  await stack.run('stack', 'init', stackName);
  return { stack, remove };
}

/** Starts an emulator, and creates an empty Pulumi project in a temporary folder that is configured for it. */
export async function makeStack(
  fill: (folder: string) => Promise<unknown>,
  emulatorOptions: EmulatorOptions = {},
) {
  const emulator = await startEmulator({ operationMs: 300, ...emulatorOptions });
  const { stack, remove } = await makeProject(fill, {
    POSTGRES_COMPUTE_BASE_URL: emulator.url,
    POSTGRES_COMPUTE_API_KEY: emulator.apiKey,
  });
  const close = async () => {
    await emulator.stop();
    await remove();
  };
  return { stack, emulator, close };
}
