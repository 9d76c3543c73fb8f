import { resolve } from 'node:path';
import type { Command } from 'commander';
import { sortBy } from 'lodash';
import { ControlApiError } from '../control-api/control-api-error';
import type { Branch, Endpoint } from '../control-api/wire-types';
import { declareAmong } from '../endpoint/declared-endpoint';
import type { ServiceProject } from '../operations/service-project';
import { type CommandContext, openProject } from './connection';
import { CommandFailure, exitCodes, usageError } from './exit-codes';
import {
  type FoundResource,
  foundBranch,
  foundEndpoint,
  foundNamed,
  kinds,
  toImportedResource,
} from './found-resource';
import { selectEndpoint, selectOnBranch } from './id-or-name';
import { addProjectOptions, type CommandOptions, toExamples, toShellWord, toText } from './options';
import { nameResources, nameUniquely } from './resource-names';
import { writeImportFile } from './write-file';
import { writeProgram } from './written-program';

interface ImportOptions extends CommandOptions {
  readonly endpoint?: string;
  readonly branch?: string;
  readonly output: string;
}

/** `import-file`. */
export function addImportFileCommand(program: Command, context: CommandContext): void {
  addProjectOptions(program.command('import-file'))
    .description(
      'write existing branches, endpoints, roles and databases to a file for `pulumi import`, and print the program that declares them',
    )
    .option('--endpoint <endpoint>', 'only this endpoint (ID or name)', toText)
    .option('--branch <branch>', 'only this branch (ID or name), and what is on it', toText)
    .option('-o, --output <file>', 'file to write', 'import-file.json')
    .addHelpText(
      'after',
      `${toExamples(
        'import-file --project old-sun-1 > existing.ts',
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
  const branches = await readBranches(project, context);
  const branchNames = new Map(branches.map(({ id, name }) => [id, name]));
  const names = nameResources(endpoints, branchNames);
  const isChosen = ({ id, name }: Branch) => [id, name, undefined].includes(options.branch);
  const chosen = options.endpoint === undefined ? branches.filter(isChosen) : [];
  const found = [
    ...nameBranches(chosen),
    ...endpoints.map((each) => foundEndpoint(each, names.get(each.id) ?? each.id, declareAmong(all, each))),
    ...(await findNamed(project, chosen, 'role')),
    ...(await findNamed(project, chosen, 'database')),
  ];
  if (found.length === 0)
    throw new CommandFailure(exitCodes.refused, `Project ${project.id} has nothing to import.`);
  await writeImportFile(options.output, found.map(toImportedResource));
  await screen.print(writeProgram(found, { module: 'pulumi-postgres-compute', projectId: project.id }));
  for (const sentence of describeNextSteps(options.output, found)) screen.say(sentence);
}

async function select(
  project: ServiceProject,
  all: readonly Endpoint[],
  { endpoint, branch }: ImportOptions,
): Promise<readonly Endpoint[]> {
  if (endpoint !== undefined) return [selectEndpoint(project, all, endpoint)];
  return branch === undefined ? all : selectOnBranch(project, all, branch);
}

async function readBranches(project: ServiceProject, { screen }: CommandContext): Promise<readonly Branch[]> {
  try {
    return sortBy(await project.api.listBranches(project.id), 'created_at');
  } catch (error) {
    // The key may lack access to the branches.
    if (!(error instanceof ControlApiError)) throw error;
    screen.say(`Only the endpoints are imported: ${error.message}`);
    return [];
  }
}

function nameBranches(branches: readonly Branch[]): FoundResource[] {
  const names = nameUniquely(branches.map(({ id, name }) => ({ id, proposal: name, addition: id })));
  return branches.map((branch) => foundBranch(branch, names.get(branch.id) ?? branch.id));
}

/** What the branches have by name, except what the service keeps for itself. */
async function findNamed(project: ServiceProject, branches: readonly Branch[], kind: 'role' | 'database') {
  const { type } = kinds[kind];
  const found = await Promise.all(
    branches.map(async (branch) => {
      const items = await project.named(kind, branch.id).fresh();
      return items.map((item) => ({ item, branch }));
    }),
  );
  const managed = found.flat().filter(({ item }) => {
    const { inputs } = foundNamed(kind, item, item.name);
    return type.findInputFailures(inputs).length === 0;
  });
  const names = nameUniquely(
    managed.map(({ item, branch }) => ({ id: item.id, proposal: item.name, addition: branch.name })),
  );
  return managed.map(({ item }) => foundNamed(kind, item, names.get(item.id) ?? item.name));
}

/** The program comes first: the next `pulumi up` would delete an imported resource that no program declares. */
function describeNextSteps(path: string, found: readonly FoundResource[]): string[] {
  const hasRoles = found.some(({ kind }) => kind === 'role');
  return [
    `Wrote ${found.length} ${found.length === 1 ? 'resource' : 'resources'} to ${path}. Next, in this order, in the folder of the Pulumi program:`,
    '  1. add the text above to the program',
    `  2. pulumi import --file ${toShellWord(resolve(path))} --generate-code=false`,
    '  3. pulumi preview --expect-no-changes',
    ...(hasRoles ? ['  4. pulumi refresh, which reads the passwords of the roles'] : []),
    'Imported resources are protected from deletion. To delete one later, first remove `protect: true` from the program.',
  ];
}
