import type { Command } from 'commander';
import { toPrintable } from '../control-api/printable';
import { type BranchState, readBranches } from '../lookups/live-branch';
import { readConnectionUri } from '../lookups/live-connection-uri';
import { readProjects } from '../lookups/live-project';

import { type CommandContext, connect, findProject, openProject } from './connection';
import { formatDate } from './duration';
import { CommandFailure, exitCodes, usageError } from './exit-codes';
import { findBranch, findEndpoint } from './id-or-name';
import { addAccountCommand, addCommand, type CommandOptions, toText } from './options';
import { GrowingTable, layOutDetails } from './table';

interface ProjectOptions extends CommandOptions {
  readonly org?: string;
}

interface BranchOptions extends CommandOptions {
  readonly branch?: string;
}

interface ConnectionUriOptions extends BranchOptions {
  readonly endpoint?: string;
  readonly database?: string;
  readonly role?: string;
  readonly pooled?: true;
}

/** `projects list` and `get`, `branches list` and `get`, `databases list`, `roles list` and `connection-uri`. */
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
  for (const kind of ['databases', 'roles'] as const)
    addCommand(
      program.command(kind).description(`list the ${kind} of a branch`),
      'list',
      `${kind} list --project old-sun-1`,
      `${kind} list --branch pr-42 --json`,
    )
      .description(`list the ${kind} of a branch`)
      .option(...branchOption)
      .action((options: BranchOptions) => listNamed(kind, options, context));
  addCommand(
    program,
    'connection-uri',
    'connection-uri --project old-sun-1',
    'connection-uri --branch pr-42 --database app --role app_owner --pooled',
  )
    .description('print a connection string, with the password')
    .option('--database <name>', 'database (default: the only one of the branch)', toText)
    .option('--role <name>', 'Postgres role (default: the only one of the branch)', toText)
    .option(...branchOption)
    .option(
      '--endpoint <endpoint>',
      "endpoint ID or name (default: the branch's read_write endpoint)",
      toText,
    )
    .option('--pooled', 'connect through the connection pooler')
    .action((options: ConnectionUriOptions) => printConnectionUri(options, context));
}

const branchOption = [
  '--branch <branch>',
  'branch ID or name (default: the default branch)',
  toText,
] as const;
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
  const { id: projectId, api } = await openProject(options, context);
  const branches = await readBranches(api, { projectId });
  if (options.json) return context.screen.printJson({ branches });
  const rows = branches.map((branch) => [branch.id, branch.name, branch.parentId ?? '', flagsOf(branch)]);
  return printTable(['ID', 'NAME', 'PARENT', ''], rows, context);
}

async function listNamed(
  kind: 'databases' | 'roles',
  options: BranchOptions,
  context: CommandContext,
): Promise<void> {
  const { id: projectId, api } = await openProject(options, context);
  const branch = await findBranch(api, projectId, options.branch);
  const names = await api.listNames(projectId, branch.id, kind);
  if (options.json) return context.screen.printJson({ [kind]: names.map((name) => ({ name })) });
  if (names.length === 0) return context.screen.say(`No ${kind} found.`);
  return printTable(
    ['NAME'],
    names.map((name) => [name]),
    context,
  );
}

async function showBranch(
  idOrName: string | undefined,
  options: CommandOptions,
  context: CommandContext,
): Promise<void> {
  const { id: projectId, api } = await openProject(options, context);
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
  const opened = await openProject(options, context);
  const { id: projectId, api } = opened;
  const { branch, pooled } = options;
  const endpoint = options.endpoint === undefined ? undefined : await findEndpoint(opened, options.endpoint);
  const branchId = branch === undefined ? undefined : (await findBranch(api, projectId, branch)).id;
  const findOnly = async (kind: 'databases' | 'roles') => {
    const where = branchId ?? endpoint?.branch_id ?? (await findBranch(api, projectId, undefined)).id;
    const names = await api.listNames(projectId, where, kind);
    const [only, ...others] = names;
    if (only !== undefined && others.length === 0) return only;
    const option = kind === 'databases' ? '--database' : '--role';
    if (only === undefined)
      throw new CommandFailure(
        exitCodes.refused,
        `Branch ${where} has no ${kind}: there is nothing to connect to.`,
      );
    throw usageError(
      `Branch ${where} has several ${kind}: give one with ${option}. It has: ${names.join(', ')}.`,
    );
  };
  const databaseName = options.database ?? (await findOnly('databases'));
  const roleName = options.role ?? (await findOnly('roles'));
  const query = { projectId, branchId, endpointId: endpoint?.id, databaseName, roleName, pooled };
  const connection = await readConnectionUri(api, query);
  return options.json ? context.screen.printJson(connection) : context.screen.print(connection.uri);
}

function flagsOf(branch: BranchState): string {
  const expiry = branch.expiresAt && `expires ${formatDate(branch.expiresAt)}`;
  return [branch.default && 'default', branch.protected && 'protected', expiry].filter(Boolean).join(', ');
}

function printTable(head: readonly string[], rows: readonly string[][], { screen }: CommandContext) {
  const texts = rows.map((row) => row.map(toPrintable));
  return screen.print(new GrowingTable(head.map((title) => screen.colors.dim(title))).layOut(texts));
}
