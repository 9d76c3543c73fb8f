import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { pluginFolder } from '../../../support/program-doors';
import { makeStack, type PulumiStack } from '../../../support/pulumi-stack';
import type { Registration } from './agreement-ground';
import type { AgreementScenario, AgreementStep } from './agreement-scenario';
import { readFiledState } from './filed-state';
import { writeProgram } from './real-program';
import type { RecordedCall } from './record-calls';
import { runSteps, serviceOptions } from './run-steps';
import { project, type RecordedStep, type StepTranscript, stackName } from './transcript';

/** Runs a scenario through the real CLI, with the emulator over HTTP. */
export async function runReal(scenario: AgreementScenario): Promise<StepTranscript[]> {
  const { stack, emulator, close } = await makeStack(writeProject, serviceOptions(scenario));
  const callsFile = join(stack.folder, 'calls.jsonl');
  stack.environment.RECORDED_CALLS = callsFile;
  try {
    return await runSteps(scenario, emulator, (step, registrations, urnOf) =>
      runStep(stack, callsFile, step, registrations, urnOf, scenario),
    );
  } finally {
    await close();
  }
}

/** Writes an empty program and the plugin that records calls. */
async function writeProject(folder: string): Promise<void> {
  const plugin = join(folder, 'plugin');
  await build({
    entryPoints: [join(__dirname, 'recording-plugin.ts')],
    outfile: join(plugin, 'main.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
  });
  for (const file of ['pulumi-resource-postgres-compute', 'schema.json'])
    await copyFile(join(pluginFolder, file), join(plugin, file));
  await writeProgram(folder, [], {});
}

async function runStep(
  stack: PulumiStack,
  callsFile: string,
  step: AgreementStep,
  registrations: readonly Registration[],
  toUrn: (name: string) => string,
  scenario: AgreementScenario,
): Promise<RecordedStep> {
  await writeProgram(stack.folder, registrations, scenario);
  const { command } = step;
  for (const name of step.taint ?? []) await stack.run('state', 'taint', toUrn(name), '--yes');
  await writeFile(callsFile, '');
  const { exitCode } = await stack.try(
    ...command.split(' '),
    ...(command.startsWith('preview') ? [] : ['--yes', '--skip-preview']),
    ...toFlags(step, toUrn),
  );
  const lines = (await readFile(callsFile, 'utf8')).split('\n').filter(Boolean);
  const calls = lines.map((line): RecordedCall => JSON.parse(line));
  return { isSuccess: exitCode === 0, calls, ...(await readFiledState(stack.backend, project, stackName)) };
}

function toFlags(step: AgreementStep, toUrn: (name: string) => string): string[] {
  const of = (flag: string, names: readonly string[] = []) => names.flatMap((name) => [flag, toUrn(name)]);
  return [
    ...of('--replace', step.replace),
    ...of('--target-replace', step.targetReplace),
    ...of('--target', step.target),
    ...of('--exclude', step.exclude),
    ...(step.continuesOnError ? ['--continue-on-error'] : []),
  ];
}
