import type { Command } from 'commander';
import { Deadline } from '../control-api/deadline';
import { takeOperations, walkOperationPages } from '../lookups/operation-search';
import { toOperationState, toOperationStates } from '../lookups/operation-state';
import { requireSuccess } from '../lookups/operation-wait-error';
import { awaitOperation, awaitUnfinished, type WaitRequest } from '../lookups/wait-for-unfinished';
import { type CommandContext, openProject } from './connection';
import { usageError } from './exit-codes';
import { findFilter } from './id-or-name';
import { layOutOperation, printOperations, printOperationsAsJson } from './operation-table';
import {
  addCommand,
  addTimeoutOption,
  type CommandOptions,
  collectStatuses,
  collectValues,
  toLimit,
  toText,
} from './options';

interface ListOptions extends CommandOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly endpoint?: string;
  readonly branch?: string;
  readonly action?: readonly string[];
  readonly status?: readonly string[];
}

interface WaitOptions extends CommandOptions {
  readonly endpoint?: string;
  readonly timeout: number;
}

const exampleId = '5fbe131a-2504-45e6-8004-5bbd35860788';

/** `operations list`, `get` and `wait`. */
export function addOperationCommands(program: Command, context: CommandContext): void {
  const operations = program.command('operations').description('list, show and wait for operations');
  addCommand(
    operations,
    'list',
    'operations list --project old-sun-1 --limit 20',
    'operations list --status failed,error --json',
    'operations list --endpoint ep-dark-sea-1 --action start_compute',
  )
    .description('list the operations of a project, newest first')
    .option('--endpoint <endpoint>', 'only operations of this endpoint (ID or name)', toText)
    .option('--branch <branch>', 'only operations of this branch (ID or name)', toText)
    .option(
      '--action <actions>',
      'only these actions, such as start_compute,suspend_compute; repeatable',
      collectValues,
    )
    .option(
      '--status <statuses>',
      'only these statuses, such as running or "In progress"; repeatable',
      collectStatuses,
    )
    .option('--limit <count>', 'list at most this many (default: all that the service keeps)', toLimit)
    .option('--cursor <cursor>', 'continue at the cursor that an earlier list with --limit printed')
    .action((options: ListOptions) => listOperations(options, context));
  addCommand(operations, 'get', `operations get ${exampleId} --project old-sun-1`)
    .description('show one operation')
    .argument('<operation>', 'operation ID')
    .action((id: string, options: CommandOptions) => getOperation(id, options, context));
  addTimeoutOption(
    addCommand(
      operations,
      'wait',
      `operations wait ${exampleId} --project old-sun-1`,
      'operations wait --endpoint ep-dark-sea-1 --timeout 120 && ./deploy.sh',
    ),
  )
    .description('wait for one operation, or for all unfinished operations of an endpoint or of the project')
    .argument('[operation]', 'operation ID')
    .option(
      '--endpoint <endpoint>',
      'unfinished operations of this endpoint (ID or name), and any that start during the wait',
      toText,
    )
    .action((id: string | undefined, options: WaitOptions) => waitForOperations(id, options, context));
}

async function listOperations(options: ListOptions, context: CommandContext): Promise<void> {
  const { screen } = context;
  const project = await openProject(options, context);
  const { id: projectId, api } = project;
  const { action: actions, status: statuses, cursor } = options;
  const query = { projectId, ...(await findFilter(project, options)), actions, statuses, cursor };
  if (options.limit === undefined) {
    const pages = walkOperationPages(api, query);
    return options.json ? printOperationsAsJson(pages, screen) : printOperations(pages, screen);
  }
  const { operations, cursor: next } = await takeOperations(api, query, options.limit);
  if (options.json)
    return screen.printJson({ operations: toOperationStates(operations, screen.redact), cursor: next });
  await printOperations([operations], screen);
  if (next !== undefined) screen.say(`Next page: --cursor ${next}`);
}

async function getOperation(id: string, options: CommandOptions, context: CommandContext): Promise<void> {
  const { screen } = context;
  const project = await openProject(options, context);
  const operation = await project.api.getOperation(project.id, id);
  if (options.json) return screen.printJson(toOperationState(operation, screen.redact));
  return screen.print(layOutOperation(operation, screen.colors));
}

async function waitForOperations(
  id: string | undefined,
  options: WaitOptions,
  context: CommandContext,
): Promise<void> {
  if (id !== undefined && options.endpoint !== undefined)
    throw usageError('Give either an operation ID or --endpoint, not both.');
  const { screen } = context;
  const project = await openProject(options, context);
  const deadline = new Deadline(options.timeout * 1000);
  const request: WaitRequest = { deadline, onProgress: (latest) => screen.progress.showOperations(latest) };
  const result =
    id === undefined
      ? await awaitUnfinished(project, (await findFilter(project, options)).endpointId, request)
      : await awaitOperation(project, id, request);
  const { outcome, operations } = result;
  if (options.json)
    await screen.printJson({ outcome, operations: toOperationStates(operations, screen.redact) });
  else if (operations.length === 0) screen.say('No unfinished operations.');
  else await printOperations([operations], screen);
  requireSuccess(result, deadline.elapsedMs, screen.redact);
}
