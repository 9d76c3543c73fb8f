import type { Command } from 'commander';
import { uniqBy } from 'lodash';
import type { PowerVerb } from '../control-api/control-api';
import { Deadline } from '../control-api/deadline';
import type { Endpoint, Operation } from '../control-api/wire-types';
import { describeBlockers } from '../engine/progress';
import { toEndpointState } from '../lookups/live-endpoint';
import { toOperationStates } from '../lookups/operation-state';
import { requireSuccess } from '../lookups/operation-wait-error';
import { awaitOperations } from '../operations/wait-for-operations';
import { type CommandContext, openProject } from './connection';
import { controlPower } from './endpoint-power';
import { layOutEndpoint, layOutEndpoints, stateLabel } from './endpoint-table';
import { findEndpoint, selectOnBranch } from './id-or-name';
import { printOperations } from './operation-table';
import { addCommand, addTimeoutOption, type CommandOptions, toText } from './options';

interface ListOptions extends CommandOptions {
  readonly branch?: string;
}

interface PowerOptions extends CommandOptions {
  readonly wait: boolean;
  readonly timeout: number;
}

const powerVerbs: readonly (readonly [PowerVerb, string])[] = [
  ['start', 'start the compute and wait; no effect if it is active'],
  ['suspend', 'suspend the compute and wait; drops its connections; no effect if it is idle'],
  ['restart', 'restart the compute and wait; drops its connections; refused unless it is active'],
];

/** `endpoints list`, `get`, `start`, `suspend`, `restart` and `delete`. */
export function addEndpointCommands(program: Command, context: CommandContext): void {
  const endpoints = program
    .command('endpoints')
    .description('inspect, start, suspend, restart and delete endpoints');
  addCommand(endpoints, 'list', 'endpoints list --project old-sun-1', 'endpoints list --branch main --json')
    .description('list the endpoints of a project')
    .option('--branch <branch>', 'only the endpoints of this branch (ID or name)', toText)
    .action((options: ListOptions) => listEndpoints(options, context));
  addCommand(endpoints, 'get', 'endpoints get ep-dark-sea-1 --project old-sun-1')
    .description('show one endpoint')
    .argument('<endpoint>', 'endpoint ID or name', toText)
    .action((idOrName: string, options: CommandOptions) => getEndpoint(idOrName, options, context));
  for (const [verb, description] of powerVerbs) {
    const example = `endpoints ${verb} ep-dark-sea-1`;
    addTimeoutOption(
      addCommand(endpoints, verb, `${example} --project old-sun-1`, `${example} --no-wait --json`),
    )
      .description(description)
      .argument('<endpoint>', 'endpoint ID or name', toText)
      .option('--no-wait', 'return as soon as the service accepts the request')
      .action((idOrName: string, options: PowerOptions) => changePower(verb, idOrName, options, context));
  }
  addTimeoutOption(addCommand(endpoints, 'delete', 'endpoints delete ep-dark-sea-1 --project old-sun-1'))
    .description('delete an endpoint for good and wait; drops its connections')
    .argument('<endpoint>', 'endpoint ID or name', toText)
    .action((idOrName: string, options: CommandOptions & Pick<PowerOptions, 'timeout'>) =>
      deleteEndpoint(idOrName, options, context),
    );
}

async function deleteEndpoint(
  idOrName: string,
  options: CommandOptions & Pick<PowerOptions, 'timeout'>,
  context: CommandContext,
): Promise<void> {
  const { progress, redact } = context.screen;
  const project = await openProject(options, context);
  const deadline = new Deadline(options.timeout * 1000);
  const { id, name = '' } = await findEndpoint(project, idOrName);
  const operations = await project.write<readonly Operation[]>({
    deadline,
    // A second delete does no harm.
    findDone: async () => undefined,
    send: async () => (await project.api.deleteEndpoint(project.id, id, deadline))?.operations ?? [],
    onLocked: (blocking) => progress.showWait(describeBlockers(blocking)),
    startedBy: (started) => started,
  });
  const onProgress = (latest: readonly Operation[]) => progress.showOperations(latest);
  const result = await awaitOperations(project.poller, { endpointId: id, operations, deadline, onProgress });
  requireSuccess(result, deadline.elapsedMs, redact);
  if (options.json) return context.screen.printJson({ deleted: id });
  context.screen.say(`Endpoint ${id}${name && ` (${name})`} is deleted.`);
}

async function listEndpoints(options: ListOptions, context: CommandContext): Promise<void> {
  const { screen } = context;
  const project = await openProject(options, context);
  const all = await project.api.listEndpoints(project.id);
  const { branch } = options;
  const endpoints = branch === undefined ? all : await selectOnBranch(project, all, branch);
  if (options.json) return screen.printJson({ endpoints: endpoints.map(toEndpointState) });
  if (endpoints.length > 0) return screen.print(layOutEndpoints(endpoints, screen.colors));
  screen.say('No endpoints found.');
}

async function getEndpoint(
  idOrName: string,
  options: CommandOptions,
  context: CommandContext,
): Promise<void> {
  const { screen } = context;
  const endpoint = await findEndpoint(await openProject(options, context), idOrName);
  if (options.json) return screen.printJson(toEndpointState(endpoint));
  return screen.print(layOutEndpoint(endpoint, screen.colors));
}

async function changePower(
  verb: PowerVerb,
  idOrName: string,
  options: PowerOptions,
  context: CommandContext,
): Promise<void> {
  const { progress, redact } = context.screen;
  const project = await openProject(options, context);
  const deadline = new Deadline(options.timeout * 1000);
  const { id: endpointId } = await findEndpoint(project, idOrName);
  const change = await controlPower(project, {
    endpointId,
    verb,
    deadline,
    onLocked: (blocking) => progress.showWait(describeBlockers(blocking)),
  });
  // The service may name the same operation twice.
  const operations = uniqBy(change.operations, 'id');
  if (!options.wait) return report(change.endpoint, operations, options, context);
  const result = await awaitOperations(project.poller, {
    endpointId,
    operations,
    deadline,
    onProgress: (latest) => progress.showOperations(latest),
  });
  await report(await project.api.getEndpoint(project.id, endpointId), result.operations, options, context);
  requireSuccess(result, deadline.elapsedMs, redact);
}

async function report(
  endpoint: Endpoint,
  operations: readonly Operation[],
  { json }: PowerOptions,
  { screen }: CommandContext,
): Promise<void> {
  if (json) {
    const states = toOperationStates(operations, screen.redact);
    return screen.printJson({ endpoint: toEndpointState(endpoint), operations: states });
  }
  if (operations.length > 0) await printOperations([operations], screen);
  const started = operations.length > 0 ? '' : '; the service had nothing to do';
  screen.say(`Endpoint ${endpoint.id} is ${stateLabel(endpoint)}${started}.`);
}
