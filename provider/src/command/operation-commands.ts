import type { Command } from 'commander';
import { Deadline } from '../control-api/deadline';
import type { Operation } from '../control-api/wire-types';
import { takeOperations, walkOperationPages } from '../operations/operation-pages';
import { toOperationState, toOperationStates } from '../operations/operation-state';
import { requireSuccess } from '../operations/operation-wait-error';
import { awaitOperation, awaitUnfinished } from '../operations/wait-for-unfinished';
import { type CommandContext, openProject } from './connection';
import { usageError } from './exit-codes';
import { printAsJson, printAsTable } from './operation-list';
import { describeInLines, OperationTable } from './operation-table';
import {
  addProjectOptions,
  addTimeoutOption,
  collectWords,
  type ProjectOptions,
  toExamples,
  toLimit,
} from './options';

interface ListOptions extends ProjectOptions {
  readonly limit?: number;
  readonly cursor?: string;
  readonly endpoint?: string;
  readonly branch?: string;
  readonly action?: readonly string[];
  readonly status?: readonly string[];
  readonly json?: true;
}

interface GetOptions extends ProjectOptions {
  readonly json?: true;
}

interface WaitOptions extends ProjectOptions {
  readonly endpoint?: string;
  readonly timeout: number;
  readonly json?: true;
}

/** `operations list`, `get` and `wait`. */
export function addOperationCommands(program: Command, context: CommandContext): void {
  const operations = program.command('operations').description('what the service has done and is doing');
  addProjectOptions(operations.command('list'))
    .description('list the operations of a project, newest first')
    .option('--endpoint <id>', 'only those of this endpoint')
    .option('--branch <id>', 'only those of this branch')
    .option(
      '--action <actions>',
      'only these, such as start_compute,suspend_compute; repeatable',
      collectWords,
    )
    .option('--status <statuses>', 'only these, such as running or "In progress"; repeatable', collectWords)
    .option('--limit <count>', 'that many and no more (default: all that the service remembers)', toLimit)
    .option('--cursor <cursor>', 'go on where an earlier list with --limit has ended')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      toExamples(
        'operations list --project old-sun-1 --limit 20',
        'operations list --status failed,error --json',
        'operations list --endpoint ep-dark-sea-1 --action start_compute',
      ),
    )
    .action((options: ListOptions) => listOperations(options, context));
  addProjectOptions(operations.command('get'))
    .description('show one operation')
    .argument('<operation>', 'its id')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      toExamples('operations get 5fbe131a-2504-45e6-8004-5bbd35860788 --project old-sun-1'),
    )
    .action((id: string, options: GetOptions) => getOperation(id, options, context));
  addTimeoutOption(addProjectOptions(operations.command('wait')))
    .description(
      'wait until an operation has ended, or all that are unfinished now: of an endpoint, or of the project',
    )
    .argument('[operation]', 'its id')
    .option('--endpoint <id>', 'all of this endpoint, and what the service starts for it meanwhile')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      toExamples(
        'operations wait 5fbe131a-2504-45e6-8004-5bbd35860788 --project old-sun-1',
        'operations wait --endpoint ep-dark-sea-1 --timeout 120 && ./deploy.sh',
      ),
    )
    .action((id: string | undefined, options: WaitOptions) => waitForOperations(id, options, context));
}

async function listOperations(options: ListOptions, context: CommandContext): Promise<void> {
  const { screen } = context;
  const { id: projectId, api } = openProject(options, context);
  const {
    endpoint: endpointId,
    branch: branchId,
    action: actions,
    status: statuses,
    cursor,
    limit,
  } = options;
  const query = { projectId, endpointId, branchId, actions, statuses, cursor };
  if (limit === undefined) {
    const pages = walkOperationPages(api, query);
    return options.json ? printAsJson(pages, screen) : printAsTable(pages, screen);
  }
  const { operations, cursor: next } = await takeOperations(api, query, limit);
  if (options.json)
    return screen.printJson({ operations: toOperationStates(operations, screen.redact), cursor: next });
  await printAsTable([operations], screen);
  if (next !== undefined) screen.say(`Where the rest begins: --cursor ${next}`);
}

async function getOperation(id: string, options: GetOptions, context: CommandContext): Promise<void> {
  const project = openProject(options, context);
  const operation = await project.api.getOperation(project.id, id);
  if (options.json) return context.screen.printJson(toOperationState(operation, context.screen.redact));
  return context.screen.print(describeInLines(operation, context.screen.colors));
}

async function waitForOperations(
  id: string | undefined,
  options: WaitOptions,
  context: CommandContext,
): Promise<void> {
  if (id !== undefined && options.endpoint !== undefined)
    throw usageError('Wait either for one operation or for those of an --endpoint, not for both.');
  const { screen } = context;
  const project = openProject(options, context);
  const deadline = new Deadline(options.timeout * 1000);
  const request = {
    deadline,
    onProgress: (latest: readonly Operation[]) => screen.progress.showOperations(latest),
  };
  const result =
    id === undefined
      ? await awaitUnfinished(project, options.endpoint, request)
      : await awaitOperation(project, id, request);
  const { outcome, operations } = result;
  if (options.json)
    await screen.printJson({ outcome, operations: toOperationStates(operations, screen.redact) });
  else if (operations.length === 0) screen.say('Nothing is unfinished.');
  else await screen.print(new OperationTable(screen.colors).layOut(operations));
  requireSuccess(result, deadline.elapsedMs, screen.redact);
}
