import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import execa, { type ExecaError } from 'execa';
import type { TestContext } from 'vitest';
import { codeBlocks, repository } from './documents';
import { type CommandResult, makeStack } from './pulumi-stack';

/**
 * Starts a stack of an example, copied from the repository, and a service whose project has a branch without an endpoint.
 * It takes the test's own `onTestFinished`, because concurrent tests cannot use the global one.
 */
export async function startExample(name: string, { onTestFinished }: Pick<TestContext, 'onTestFinished'>) {
  const { stack, emulator, close } = await makeStack(async (folder) => {
    const root = join(folder, '..');
    await cp(join(repository, 'examples', name), folder, { recursive: true });
    await cp(join(repository, 'examples', 'tsconfig.json'), join(root, 'tsconfig.json'));
    await writeFile(join(root, 'package.json'), '{}');
  });
  onTestFinished(close);
  const project = emulator.createProject({ name: 'example' });
  const branch = emulator.createBranch(project.id, { name: 'feature' });
  const commands = codeBlocks(`examples/${name}/README.md`, 'sh');

  /** Runs the README's next block of commands, with values instead of the placeholders in capitals. */
  const tryReadme = async (values: Record<string, string> = {}): Promise<CommandResult> => {
    const block = commands.shift();
    if (block === undefined) throw new Error(`examples/${name}/README.md has no more commands.`);
    const words = Object.entries({ PROJECT_ID: project.id, BRANCH_ID: branch.id, ...values });
    // The longest placeholder first: BRANCH_ID is part of others.
    words.sort(([left], [right]) => right.length - left.length);
    const script = words.reduce((text, [word, value]) => text.replaceAll(word, value), block);
    return runScript(script, stack.folder, stack.environment);
  };
  /** The same for commands that must succeed. */
  const followReadme = async (values?: Record<string, string>): Promise<CommandResult> => {
    const result = await tryReadme(values);
    if (result.exitCode !== 0)
      throw new Error(`The README's commands: exit ${result.exitCode}\n${result.screen}`);
    return result;
  };
  const heldBy = (branchId: string) =>
    emulator.endpoints(project.id).filter((endpoint) => endpoint.branch_id === branchId);
  return { stack, emulator, project, branch, followReadme, tryReadme, heldBy };
}

/** Runs commands as a user who confirms every prompt. */
export async function runScript(
  script: string,
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<CommandResult> {
  const env = { ...environment, PULUMI_SKIP_CONFIRMATIONS: 'true', PULUMI_OPTION_SKIP_PREVIEW: 'true' };
  const options = { cwd: folder, env, extendEnv: false, all: true, stdin: 'ignore' } as const;
  const bash = execa('bash', ['-e', '-o', 'pipefail', '-c', script], options);
  const result = await bash.catch((error: ExecaError) => error);
  const screen = String(result.all).replace(/\s+/g, ' ');
  return { exitCode: result.exitCode ?? -1, screen, stdout: String(result.stdout) };
}
