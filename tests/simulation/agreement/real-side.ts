import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { mapValues } from 'lodash';
import { pluginFolder, usePlugin } from '../../support/program-doors';
import { makeStack, type PulumiStack } from '../../support/pulumi-stack';
import { dependentArgument, isDependent } from '../engine';
import type { Registration } from './agreement-ground';
import type { AgreementScenario, AgreementStep } from './agreement-scenario';
import { readFiledState } from './filed-state';
import type { RecordedCall } from './record-calls';
import { runSteps, serviceOptions } from './run-steps';
import { project, type RecordedStep, type StepTranscript, stackName, urnOf } from './transcript';

/** Runs a scenario through the real CLI, with the emulator over HTTP. */
export async function runReal(scenario: AgreementScenario): Promise<StepTranscript[]> {
  const { stack, emulator, close } = await makeStack(writeProject, serviceOptions(scenario));
  const callsFile = join(stack.folder, 'calls.jsonl');
  stack.environment.RECORDED_CALLS = callsFile;
  try {
    return await runSteps(scenario, emulator, (step, registrations) =>
      runStep(stack, callsFile, step, registrations, scenario.dependedOn),
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
  await declare(folder, []);
}

async function declare(
  folder: string,
  registrations: readonly Registration[],
  dependedOn?: string,
): Promise<void> {
  const resources = Object.fromEntries(registrations.map((each) => [each.name, toYaml(each, dependedOn)]));
  const program = { name: project, runtime: 'yaml', plugins: usePlugin(join(folder, 'plugin')), resources };
  // JSON is YAML.
  await writeFile(
    join(folder, 'Pulumi.yaml'),
    JSON.stringify(program).replaceAll('"$secret":', '"fn::secret":'),
  );
}

function toYaml(registration: Registration, dependedOn: string | undefined): object {
  const { name, args, timeoutSeconds, createsBeforeDelete, importId, replaceOnChanges } = registration;
  const timeout = `${timeoutSeconds}s`;
  const customTimeouts = { create: timeout, update: timeout, delete: timeout };
  const options = {
    customTimeouts,
    deleteBeforeReplace: !createsBeforeDelete,
    import: importId,
    replaceOnChanges,
  };
  const ofOther = mapValues(dependentArgument, (_value, output) => `\${${dependedOn}.${output}}`);
  const properties = { ...args, ...(isDependent(name, dependedOn) && ofOther) };
  return { type: 'postgres-compute:ComputeEndpoint', properties, options };
}

async function runStep(
  stack: PulumiStack,
  callsFile: string,
  { command, replace = [], taint = [] }: AgreementStep,
  registrations: readonly Registration[],
  dependedOn: string | undefined,
): Promise<RecordedStep> {
  await declare(stack.folder, registrations, dependedOn);
  for (const name of taint) await stack.run('state', 'taint', urnOf(name), '--yes');
  await writeFile(callsFile, '');
  const { exitCode } = await stack.try(
    ...command.split(' '),
    ...(command.startsWith('preview') ? [] : ['--yes', '--skip-preview']),
    ...replace.flatMap((name) => ['--replace', urnOf(name)]),
  );
  const lines = (await readFile(callsFile, 'utf8')).split('\n').filter(Boolean);
  const calls = lines.map((line): RecordedCall => JSON.parse(line));
  return { isSuccess: exitCode === 0, calls, ...(await readFiledState(stack.backend, project, stackName)) };
}
