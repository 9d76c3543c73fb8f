import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ControlApiError } from '../control-api/control-api-error';
import type { Endpoint } from '../control-api/wire-types';
import { declareAmong } from '../endpoint/declared-endpoint';
import type { ServiceProject } from '../operations/service-project';
import { type CommandContext, openProject } from './connection';
import { CommandFailure, exitCodes, usageError } from './exit-codes';
import { quote, writeImportFile } from './import-file';
import { toImportedResource } from './imported-endpoint';
import { selectEndpoint, selectOnBranch } from './named-options';
import { addProjectOptions, type CommandOptions, toExamples, toText } from './options';
import { writeProgram } from './program-text';
import { nameResources } from './resource-names';

interface ImportOptions extends CommandOptions {
  readonly endpoint?: string;
  readonly branch?: string;
  readonly output: string;
}

/** `import-file`. */
export function addImportCommand(program: Command, context: CommandContext): void {
  addProjectOptions(program.command('import-file'))
    .description(
      'write existing endpoints to a file for `pulumi import`, and print the program that declares them',
    )
    .option('--endpoint <endpoint>', 'only this endpoint (ID or name)', toText)
    .option('--branch <branch>', 'only the endpoints of this branch (ID or name)', toText)
    .option('-o, --output <file>', 'file to write', 'import-endpoints.json')
    .addHelpText(
      'after',
      `${toExamples(
        'import-file --project old-sun-1 > endpoints.ts',
        'import-file --branch main',
        'import-file --endpoint ep-dark-sea-1 --output one.json',
      )}

The file needs Pulumi 3.254 or later. The command changes nothing at the service, and prints the next steps.`,
    )
    .action((options: ImportOptions) => makeImport(options, context));
}

async function makeImport(options: ImportOptions, context: CommandContext): Promise<void> {
  if (options.endpoint !== undefined && options.branch !== undefined)
    throw usageError('Give either --endpoint or --branch, not both.');
  const { screen } = context;
  const project = await openProject(options, context);
  const all = await project.api.listEndpoints(project.id);
  const endpoints = await select(project, all, options);
  const names = nameResources(endpoints, await readBranchNames(project, endpoints));
  const imports = endpoints.map((endpoint) => {
    const name = names.get(endpoint.id) ?? endpoint.id;
    const declared = declareAmong(all, endpoint);
    return { name, declared, resource: toImportedResource(endpoint, name, declared) };
  });
  await writeImportFile(
    options.output,
    imports.map(({ resource }) => resource),
  );
  await screen.print(writeProgram(project.id, imports));
  for (const sentence of describeNextSteps(options.output, imports.length)) screen.say(sentence);
}

async function select(
  project: ServiceProject,
  all: readonly Endpoint[],
  { endpoint, branch }: ImportOptions,
): Promise<readonly Endpoint[]> {
  if (endpoint !== undefined) return [selectEndpoint(project, all, endpoint)];
  const endpoints = branch === undefined ? all : await selectOnBranch(project, all, branch);
  if (endpoints.length > 0) return endpoints;
  const where = branch === undefined ? `Project ${project.id}` : `Branch ${branch} of project ${project.id}`;
  throw new CommandFailure(exitCodes.refused, `${where} has no endpoint to import.`);
}

/** An endpoint without a name gets the name of its branch. */
async function readBranchNames(project: ServiceProject, endpoints: readonly Endpoint[]) {
  if (endpoints.every(({ name }) => name)) return new Map<string, string>();
  try {
    const branches = await project.api.listBranches(project.id);
    return new Map(branches.map(({ id, name }) => [id, name]));
  } catch (error) {
    // The key may lack access to the branches. The endpoint ids then serve as names.
    if (error instanceof ControlApiError) return new Map<string, string>();
    throw error;
  }
}

/** The program comes first: the next `pulumi up` would delete an imported resource that no program declares. */
function describeNextSteps(path: string, count: number): string[] {
  const what = count === 1 ? '1 endpoint' : `${count} endpoints`;
  return [
    `Wrote ${what} to ${path}. Next, in this order, in the folder of the Pulumi program:`,
    '  1. add the text above to the program',
    `  2. pulumi import --file ${quote(resolve(path))} --generate-code=false`,
    '  3. pulumi preview --expect-no-changes',
    'Imported resources are protected from deletion. To delete one later, first remove `protect: true` from the program.',
  ];
}
