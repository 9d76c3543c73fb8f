import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { groupBy, sortBy, uniq, uniqBy } from 'lodash';
import { messageOf } from '../control-api/control-api-error';
import { parseNamedId } from '../control-api/named-api';
import { toPrintable } from '../control-api/printable';
import type { Branch, Endpoint } from '../control-api/wire-types';
import { declareAmong } from '../endpoint/declared-endpoint';
import { ServiceProject } from '../operations/service-project';
import { type CommandContext, connect } from './connection';
import { CommandFailure, exitCodes, usageError } from './exit-codes';
import {
  type FoundResource,
  foundBranch,
  foundEndpoint,
  foundNamed,
  kinds,
  toPluginImport,
} from './found-resource';
import { addBaseUrlOption, type CommandOptions, toExamples, toShellWord } from './options';
import { nameById } from './resource-addresses';
import { type ManagedResource, readStateFile, type StateFile } from './state-file';
import { writeImportFile } from './write-file';
import { order, writeProgram } from './written-program';

interface ImportStateOptions extends CommandOptions {
  readonly output: string;
}

/** `import-state`. */
export function addImportStateCommand(program: Command, context: CommandContext): void {
  addBaseUrlOption(program.command('import-state'))
    .description(
      "take over the branches, endpoints, roles and databases that Terraform's provider or its Pulumi bridge manages: write a file for `pulumi import`, and print the program that declares them",
    )
    .argument('<file>', 'the output of `terraform show -json` or of `pulumi stack export`')
    .option('-o, --output <file>', 'file to write', 'import-state.json')
    .addHelpText(
      'after',
      `${toExamples('import-state state.json > existing.ts')}

The file is for the provider plugin. The command changes nothing at the service, and prints the next steps.`,
    )
    .action((file: string, options: ImportStateOptions) => importState(file, options, context));
}

async function importState(file: string, options: ImportStateOptions, context: CommandContext) {
  const { screen } = context;
  if (resolve(file) === resolve(options.output))
    throw usageError(`--output ${options.output} is the state file: give another name.`);
  const state = readStateFile(await readText(file));
  const { found, skipped } = await findAtService(state, options, context);
  for (const { address, reason } of skipped) screen.say(toPrintable(`Skipped ${address}: ${reason}.`));
  if (state.otherTypes.length > 0) screen.say(toPrintable(`Not taken over: ${state.otherTypes.join(', ')}.`));
  if (found.length === 0) throw new CommandFailure(exitCodes.refused, `${file} has nothing to import.`);

  const ordered = sortBy(found, ({ kind }) => order.indexOf(kind));
  await writeImportFile(options.output, ordered.map(toPluginImport));
  await screen.print(writeProgram(found, { module: 'pulumi-postgres-compute/plugin' }));
  const left = new Set(skipped.map(({ id }) => id));
  const moved = state.resources.filter(({ id }) => !left.has(id));
  for (const line of describeNextSteps(options.output, found.length, state.tool, moved)) screen.say(line);
}

/** What the service has now, which the state file may not show. */
async function findAtService({ resources }: StateFile, options: ImportStateOptions, context: CommandContext) {
  const api = connect(options, context);
  // Two addresses can have one id. Pulumi must manage it once.
  const once = uniqBy(resources, 'id');
  const names = nameById(once);
  const found: FoundResource[] = [];
  const skipped: (ManagedResource & { readonly reason: string })[] = [];
  for (const [projectId, managed] of Object.entries(groupBy(once, 'projectId'))) {
    const endpoints: readonly Endpoint[] = await api.listEndpoints(projectId);
    const branches: readonly Branch[] = await api.listBranches(projectId);
    const project = new ServiceProject(api, projectId);
    for (const each of managed) {
      const { kind, id } = each;
      const name = names.get(id) ?? id;
      const endpoint = endpoints.find((one) => one.id === id);
      const branch = branches.find((one) => one.id === id);
      const isNamed = kind === 'role' || kind === 'database';
      const item = isNamed && (await project.named(kind, parseNamedId(id).branchId).find(id));
      if (endpoint) found.push(foundEndpoint(endpoint, name, declareAmong(endpoints, endpoint)));
      else if (branch) found.push(foundBranch(branch, name));
      else if (item && isNamed) {
        const one = foundNamed(kind, item, name);
        const [failure] = kinds[kind].type.findInputFailures(one.inputs);
        if (failure) skipped.push({ ...each, reason: `${failure.property} ${failure.reason}` });
        else found.push(one);
      } else skipped.push({ ...each, reason: `the service does not have ${id}` });
    }
  }
  return { found, skipped };
}

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`Can't read ${file}: ${messageOf(error)}.`);
  });
}

function describeNextSteps(
  output: string,
  count: number,
  tool: StateFile['tool'],
  moved: readonly ManagedResource[],
): string[] {
  // A state lists a branch before what depends on it, and Pulumi deletes it from the state only after that.
  const addresses = uniq(moved.toReversed().map(({ address }) => address));
  const quoted = addresses.map((address) => toShellWord(toPrintable(address)));
  const forget =
    tool === 'Terraform'
      ? [`terraform state rm ${quoted.join(' ')}`]
      : quoted.map((urn) => `pulumi state delete --yes ${urn}`);
  return [
    `Wrote ${count} ${count === 1 ? 'resource' : 'resources'} to ${output}. Next, in this order, in the folder of the Pulumi program:`,
    '  1. add the text above to the Pulumi program, and the plugin to its Pulumi.yaml',
    `  2. pulumi import --file ${toShellWord(resolve(output))} --generate-code=false`,
    '  3. pulumi preview --expect-no-changes',
    `  4. where ${tool} managed them, so that it does not delete them:`,
    ...forget.map((command) => `     ${command}`),
    '  5. remove them from the program or the configuration there; other resources need their ids as text',
  ];
}
