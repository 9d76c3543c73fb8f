import type { Command } from 'commander';
import { uniqBy } from 'lodash';
import { Deadline } from '../control-api/deadline';
import type { EndpointChange } from '../control-api/wire-types';
import { toEndpointState } from '../lookups/live-endpoint';
import { toOperationStates } from '../operations/operation-state';
import { requireSuccess } from '../operations/operation-wait-error';
import { awaitOperations } from '../operations/wait-for-operations';
import { type CommandContext, openProject } from './connection';
import { stateWord } from './endpoint-labels';
import { describeInLines, layOutEndpoints } from './endpoint-list';
import { controlPower, type PowerVerb } from './endpoint-power';
import { OperationTable } from './operation-table';
import { addProjectOptions, addTimeoutOption, type ProjectOptions, toExamples } from './options';

interface GetOptions extends ProjectOptions {
  readonly json?: true;
}

interface ListOptions extends GetOptions {
  readonly branch?: string;
}

interface PowerOptions extends GetOptions {
  readonly wait: boolean;
  readonly timeout: number;
}

const powerVerbs: readonly (readonly [PowerVerb, string])[] = [
  ['start', 'start the compute; does nothing to one that is active'],
  ['suspend', 'suspend the compute, which drops its connections; does nothing to one that is idle'],
  ['restart', 'restart the compute, which drops its connections; the service refuses it unless it is active'],
];

/** `endpoints list`, `get`, `start`, `suspend` and `restart`. */
export function addEndpointCommands(program: Command, context: CommandContext): void {
  const endpoints = program.command('endpoints').description('compute endpoints, and what they do now');
  addProjectOptions(endpoints.command('list'))
    .description('list the endpoints of a project')
    .option('--branch <id>', 'only those of this branch')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      toExamples('endpoints list --project old-sun-1', 'endpoints list --branch br-cold-lake-1 --json'),
    )
    .action((options: ListOptions) => listEndpoints(options, context));
  addProjectOptions(endpoints.command('get'))
    .description('show one endpoint')
    .argument('<endpoint>', 'its id')
    .option('--json', 'print JSON')
    .addHelpText('after', toExamples('endpoints get ep-dark-sea-1 --project old-sun-1'))
    .action((id: string, options: GetOptions) => getEndpoint(id, options, context));
  for (const [verb, description] of powerVerbs) {
    addTimeoutOption(addProjectOptions(endpoints.command(verb)))
      .description(`${description}; waits for the operations`)
      .argument('<endpoint>', 'its id')
      .option('--no-wait', 'return as soon as the service has taken the request')
      .option('--json', 'print JSON')
      .addHelpText(
        'after',
        toExamples(
          `endpoints ${verb} ep-dark-sea-1 --project old-sun-1`,
          `endpoints ${verb} ep-dark-sea-1 --no-wait --json`,
        ),
      )
      .action((id: string, options: PowerOptions) => changePower(verb, id, options, context));
  }
}

async function listEndpoints(options: ListOptions, context: CommandContext): Promise<void> {
  const { screen } = context;
  const project = openProject(options, context);
  const all = await project.api.listEndpoints(project.id);
  const endpoints = all.filter(
    ({ branch_id }) => options.branch === undefined || branch_id === options.branch,
  );
  if (options.json) return screen.printJson({ endpoints: endpoints.map(toEndpointState) });
  if (endpoints.length > 0) return screen.print(layOutEndpoints(endpoints, screen.colors));
  screen.say('No endpoints found.');
}

async function getEndpoint(id: string, options: GetOptions, context: CommandContext): Promise<void> {
  const { screen } = context;
  const project = openProject(options, context);
  const endpoint = await project.api.getEndpoint(project.id, id);
  if (options.json) return screen.printJson(toEndpointState(endpoint));
  return screen.print(describeInLines(endpoint, screen.colors));
}

async function changePower(
  verb: PowerVerb,
  endpointId: string,
  options: PowerOptions,
  context: CommandContext,
): Promise<void> {
  const { progress } = context.screen;
  const project = openProject(options, context);
  const deadline = new Deadline(options.timeout * 1000);
  const change = await controlPower(project, {
    endpointId,
    verb,
    deadline,
    onLocked: (blocking) => progress.showBlockers(blocking),
  });
  // The service may name the same operation twice.
  const operations = uniqBy(change.operations, 'id');
  if (!options.wait) return report({ ...change, operations }, options, context);
  const result = await awaitOperations(project.poller, {
    endpointId,
    operations,
    deadline,
    onProgress: (latest) => progress.showOperations(latest),
  });
  const endpoint = await project.api.getEndpoint(project.id, endpointId);
  await report({ endpoint, operations: [...result.operations] }, options, context);
  requireSuccess(result, deadline.elapsedMs, context.screen.redact);
}

async function report(
  { endpoint, operations }: EndpointChange,
  options: PowerOptions,
  { screen }: CommandContext,
): Promise<void> {
  if (options.json) {
    const states = toOperationStates(operations, screen.redact);
    return screen.printJson({ endpoint: toEndpointState(endpoint), operations: states });
  }
  if (operations.length > 0) await screen.print(new OperationTable(screen.colors).layOut(operations));
  const started = operations.length > 0 ? '' : '; the service had nothing to do';
  screen.say(`Endpoint ${endpoint.id} is ${stateWord(endpoint)}${started}.`);
}
