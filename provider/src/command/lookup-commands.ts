import type { Command } from 'commander';
import type { ControlApi } from '../control-api/control-api';
import { ControlApiError } from '../control-api/control-api-error';
import { toPrintable } from '../control-api/printable';
import { type BranchState, readBranch, readBranches } from '../lookups/live-branch';
import { readConnectionUri } from '../lookups/live-connection-uri';
import { type ProjectState, readProject, readProjects } from '../lookups/live-project';
import { requireIdOrName } from '../lookups/named';
import { type CommandContext, connect, openProject } from './connection';
import { formatDate } from './duration';
import { addAccountCommand, addCommand, type CommandOptions, toText } from './options';
import { GrowingTable, layOutDetails } from './table';

interface ProjectOptions extends CommandOptions {
  readonly org?: string;
}

interface ConnectionUriOptions extends CommandOptions {
  readonly branch?: string;
  readonly endpoint?: string;
  readonly database: string;
  readonly role: string;
  readonly pooled?: true;
}

/** `projects list` and `get`, `branches list` and `get`, and `connection-uri`. */
export function addLookupCommands(program: Command, context: CommandContext): void {
  const projects = program.command('projects').description('list and show projects');
  addAccountCommand(projects, 'list', 'projects list', 'projects list --json')
    .description('list the projects of the account')
    .option(...orgOption)
    .action((options: ProjectOptions) => listProjects(options, context));
  addAccountCommand(projects, 'get', 'projects get old-sun-1', 'projects get shop')
    .description('show one project')
    .argument('<project>', 'project ID or name', toText)
    .option(...orgOption)
    .action((idOrName: string, options: ProjectOptions) => showProject(idOrName, options, context));
  const branches = program.command('branches').description('list and show branches');
  addCommand(branches, 'list', 'branches list --project old-sun-1')
    .description('list the branches of a project')
    .action((options: CommandOptions) => listBranches(options, context));
  addCommand(branches, 'get', 'branches get --project old-sun-1', 'branches get main --json')
    .description('show one branch')
    .argument('[branch]', 'branch ID or name (default: the default branch)', toText)
    .action((idOrName: string | undefined, options: CommandOptions) =>
      showBranch(idOrName, options, context),
    );
  addCommand(
    program,
    'connection-uri',
    'connection-uri --project old-sun-1 --database app --role app_owner',
    'connection-uri --branch pr-42 --database app --role app_owner --pooled',
  )
    .description('print a connection string, with the password')
    .requiredOption('--database <name>', 'database', toText)
    .requiredOption('--role <name>', 'Postgres role', toText)
    .option('--branch <branch>', 'branch ID or name (default: the default branch)', toText)
    .option('--endpoint <id>', "endpoint ID (default: the branch's read_write endpoint)", toText)
    .option('--pooled', 'connect through the connection pooler')
    .action((options: ConnectionUriOptions) => printConnectionUri(options, context));
}

const orgOption = ['--org <id>', 'organization ID; a personal key may need it', toText] as const;

async function listProjects(options: ProjectOptions, context: CommandContext): Promise<void> {
  const { screen } = context;
  const projects = await readProjects(connect(options, context), { orgId: options.org });
  if (options.json) return screen.printJson({ projects });
  if (projects.length === 0) return screen.say('No projects found.');
  const rows = projects.map(({ id, name, regionId, createdAt }) => [
    id,
    name,
    regionId,
    formatDate(createdAt),
  ]);
  return printTable(['ID', 'NAME', 'REGION', 'CREATED'], rows, context);
}

async function showProject(
  idOrName: string,
  options: ProjectOptions,
  context: CommandContext,
): Promise<void> {
  const { screen } = context;
  const project = await findProject(connect(options, context), idOrName, options.org);
  if (options.json) return screen.printJson(project);
  const details = [
    ['id', project.id],
    ['name', project.name],
    ['region', project.regionId],
    ['Postgres', String(project.pgVersion)],
    ['created', formatDate(project.createdAt)],
  ] as const;
  return screen.print(layOutDetails(details, screen.colors));
}

async function listBranches(options: CommandOptions, context: CommandContext): Promise<void> {
  const { id: projectId, api } = openProject(options, context);
  const branches = await readBranches(api, { projectId });
  if (options.json) return context.screen.printJson({ branches });
  const rows = branches.map((branch) => [branch.id, branch.name, branch.parentId ?? '', flagsOf(branch)]);
  return printTable(['ID', 'NAME', 'PARENT', ''], rows, context);
}

async function showBranch(
  idOrName: string | undefined,
  options: CommandOptions,
  context: CommandContext,
): Promise<void> {
  const { id: projectId, api } = openProject(options, context);
  const branch = await findBranch(api, projectId, idOrName);
  if (options.json) return context.screen.printJson(branch);
  const details = [
    ['id', branch.id],
    ['name', branch.name],
    ['kind', flagsOf(branch)],
    ['project', branch.projectId],
    ['parent', branch.parentId],
    ['parent LSN', branch.parentLsn],
    ['parent time', branch.parentTimestamp && formatDate(branch.parentTimestamp)],
    ['state', branch.currentState],
    ['created', formatDate(branch.createdAt)],
  ] as const;
  return context.screen.print(layOutDetails(details, context.screen.colors));
}

async function printConnectionUri(options: ConnectionUriOptions, context: CommandContext): Promise<void> {
  const { id: projectId, api } = openProject(options, context);
  const { branch, endpoint: endpointId, database: databaseName, role: roleName, pooled } = options;
  const branchId = branch === undefined ? undefined : (await findBranch(api, projectId, branch)).id;
  const query = { projectId, branchId, endpointId, databaseName, roleName, pooled };
  const connection = await readConnectionUri(api, query);
  return options.json ? context.screen.printJson(connection) : context.screen.print(connection.uri);
}

/** By its id at first: a key may read a project that it can't list, such as one of another organization. */
async function findProject(
  api: ControlApi,
  idOrName: string,
  orgId: string | undefined,
): Promise<ProjectState> {
  try {
    return await readProject(api, { projectId: idOrName });
  } catch (error) {
    // The service refuses a name in place of an id in one of these ways.
    if (!(error instanceof ControlApiError && [400, 403, 404].includes(error.status ?? 0))) throw error;
    return readProject(api, { name: idOrName, orgId });
  }
}

async function findBranch(
  api: ControlApi,
  projectId: string,
  idOrName: string | undefined,
): Promise<BranchState> {
  if (idOrName === undefined) return readBranch(api, { projectId });
  const lookup = { where: `Project ${projectId}`, kind: 'branch', redact: api.redact };
  return requireIdOrName(await readBranches(api, { projectId }), idOrName, lookup);
}

function flagsOf(branch: BranchState): string {
  return [branch.default && 'default', branch.protected && 'protected'].filter(Boolean).join(', ');
}

function printTable(head: readonly string[], rows: readonly string[][], { screen }: CommandContext) {
  const texts = rows.map((row) => row.map(toPrintable));
  return screen.print(new GrowingTable(head.map((title) => screen.colors.dim(title))).layOut(texts));
}
