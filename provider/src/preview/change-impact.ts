import { partition, without } from 'lodash';
import type { SettingNames } from '../config/setting-names';
import type { Endpoint } from '../control-api/wire-types';
import { argumentTable } from '../endpoint/argument-effects';
import { describeSizeRange, isSizeName } from '../endpoint/compute-size';
import type { EndpointInputs, InputName } from '../endpoint/endpoint-inputs';
import type { EndpointOutputs } from '../endpoint/endpoint-state';
import { isUnknown } from '../lifecycle/input-values';
import { isSuspension, type UnsettledOperation } from '../lifecycle/resource-state';
import { isFailed, isUnfinished } from '../operations/operation-outcome';

/** The endpoint as it is now; or why that is not known. */
export type LiveEndpoint = Endpoint | 'gone' | 'unreadable';

/** What is about to be sent. */
export interface PlannedChange {
  readonly changes: readonly InputName[];
  /** The operations of earlier runs that failed, and are repeated. */
  readonly failed?: readonly UnsettledOperation[];
  readonly outputs: EndpointOutputs;
  readonly inputs: EndpointInputs;
  /** The arguments that are secret, or were. @default none */
  readonly secretNames?: readonly string[] | undefined;
  /** Whether the branch is deleted and created again, and the endpoint with it. @default false */
  readonly goesWithBranch?: boolean;
}

/** What a change means for connected clients, reported before it is applied. */
export interface ChangeImpact {
  /** One sentence for each thing that happens. */
  readonly sentences: readonly string[];
  /** Whether connections drop, given the compute's current state. */
  readonly drops: boolean;
  /** Whether the change restarts an active compute, or may do so. */
  readonly restarts: boolean;
  /** The arguments that may drop connections: their values are not known yet. */
  readonly mayDrop: readonly InputName[];
}

/** Of a change that drops no connection, whatever the state of the compute. */
export const noImpact: ChangeImpact = { sentences: [], drops: false, restarts: false, mayDrop: [] };

/** Whether the change can drop connections: only then is the live state worth a request. */
export function isDisruptive(
  changes: readonly InputName[],
  inputs: EndpointInputs,
  failed: readonly UnsettledOperation[] = [],
): boolean {
  return findDisruptive(changes, inputs).length > 0 || findSuspension(changes, inputs, failed) !== undefined;
}

/** The changes that drop the connections of an active compute. */
export function findDisruptive(changes: readonly InputName[], inputs: EndpointInputs): InputName[] {
  return changes.filter((name) => {
    // Enabling an endpoint drops nothing: no client is connected to it.
    if (name === 'disabled') return inputs.disabled === true || isUnknown(inputs.disabled);
    return ['restart', 'disconnect', 'replace'].includes(argumentTable[name].effect);
  });
}

/** Whether the changes enable a disabled endpoint. */
export function isEnabling(changes: readonly InputName[], { disabled = false }: EndpointInputs): boolean {
  return changes.includes('disabled') && disabled === false;
}

/** Whether the changes only enable an endpoint that an earlier run was to stop: nothing else has needed that run's suspension. */
export function isStopTakenBack(changes: readonly InputName[], inputs: EndpointInputs): boolean {
  return isEnabling(changes, inputs) && findDisruptive(changes, inputs).length === 0;
}

/** A failed suspension is repeated: it was part of a restart, a move or a stop. One of a stop that is taken back is not. */
function findSuspension(
  changes: readonly InputName[],
  inputs: EndpointInputs,
  failed: readonly UnsettledOperation[] = [],
): UnsettledOperation | undefined {
  if (isStopTakenBack(changes, inputs)) return undefined;
  return failed.find(isSuspension);
}

/** Assesses the change by the endpoint's live state. A state that can't be read counts as active. */
export function assessChange(planned: PlannedChange, live: LiveEndpoint): ChangeImpact {
  const { changes, failed, inputs } = planned;
  if (live === 'gone') return noImpact;
  if (planned.goesWithBranch)
    return { ...noImpact, sentences: [`${goesWithBranch} (${describeState(live)})`], drops: isActive(live) };
  const disruptive = findDisruptive(changes, inputs);
  const replacing = disruptive.filter((name) => argumentTable[name].effect === 'replace');
  const restarting = disruptive.filter((name) => argumentTable[name].effect === 'restart');
  const disconnecting = disruptive.filter((name) => argumentTable[name].effect === 'disconnect');
  // All bounds and triggers cause one restart; a replacement supersedes everything else.
  const groups = replacing.length > 0 ? [replacing] : [restarting, ...disconnecting.map((name) => [name])];
  const sentences = groups
    .filter(isNotEmpty)
    .map((names) => `${describeValues(names, planned)} ${describeEffect(names, inputs, live)}`);
  const suspension = findSuspension(changes, inputs, failed);
  if (suspension && sentences.length === 0) sentences.push(describeRepeated(suspension, live));
  const isNotKnown = (name: InputName) => isUnknown(inputs[name]);
  const [mayDrop, dropping] = partition(isActive(live) ? disruptive : [], isNotKnown);
  const isRepeating = suspension !== undefined && isActive(live);
  const restarts = restarting.length > 0 && replacing.length === 0 && isActive(live);
  return { sentences, drops: dropping.length > 0 || isRepeating, restarts, mayDrop };
}

type SomeNames = [InputName, ...InputName[]];
type ReadEndpoint = Exclude<LiveEndpoint, 'gone'>;

function isNotEmpty(names: InputName[]): names is SomeNames {
  return names.length > 0;
}

/** A compute that is starting will be active when the change arrives. One whose stop has failed is active although it is disabled. */
function isActive(live: ReadEndpoint): boolean {
  if (live === 'unreadable') return true;
  const { current_state: state, pending_state: next = state, disabled } = live;
  return disabled ? state === 'active' && next === 'active' : state === 'active' || next === 'active';
}

function describeRepeated({ action, id }: UnsettledOperation, live: ReadEndpoint): string {
  const consequence = isActive(live) ? drops : nothingDrops;
  return `repeating the failed ${action} ${id} suspends the compute: ${consequence} (${describeState(live)})`;
}

const goesWithBranch =
  'its branch is deleted and created again, and the endpoint with it: its host name changes, and its connections drop';
const newHost = 'its host name changes, and clients have to connect to the new one';
const drops = 'its connections drop';
const nothingDrops = 'there are no connections to drop';
const later = `takes effect when the compute starts next; ${nothingDrops}`;

/** What a change does to a compute that is active, or is not; and the same while the new value is not known yet. */
const effectSentences = {
  replace: {
    active: `replaces the endpoint: ${newHost}`,
    inactive: `replaces the endpoint: ${newHost}`,
    activeUnknown: `may replace the endpoint: ${newHost}`,
    inactiveUnknown: `may replace the endpoint: ${newHost}`,
  },
  restart: {
    active: 'restarts the compute and drops its connections',
    inactive: later,
    activeUnknown: 'may restart the compute and drop its connections',
    inactiveUnknown: later,
  },
  move: {
    active: `moves the endpoint: ${drops}`,
    inactive: `moves the endpoint: ${nothingDrops}`,
    activeUnknown: `may move the endpoint: ${drops}`,
    inactiveUnknown: `may move the endpoint: ${nothingDrops}`,
  },
  stop: {
    active: `stops the compute: ${drops}`,
    inactive: `stops the compute: ${nothingDrops}`,
    activeUnknown: `may stop the compute: ${drops}`,
    inactiveUnknown: `may stop the compute: ${nothingDrops}`,
  },
} as const;

function describeEffect(names: SomeNames, inputs: EndpointInputs, live: ReadEndpoint): string {
  const [name] = names;
  const { effect } = argumentTable[name];
  const disconnection = name === 'branchId' ? 'move' : 'stop';
  const sentences = effectSentences[effect === 'replace' || effect === 'restart' ? effect : disconnection];
  const state = isActive(live) ? 'active' : 'inactive';
  const isKnown = names.some((each) => !isUnknown(inputs[each]));
  const sentence = sentences[isKnown ? state : (`${state}Unknown` as const)];
  return `${sentence} (${describeState(live)})`;
}

/** The message for a change that allowRestart forbids. */
export function describeRefusal(
  endpointId: string,
  { sentences }: ChangeImpact,
  { namespace }: SettingNames,
): string {
  return (
    `allowRestart is false, and ${sentences.join('; ')}. Nothing was changed on endpoint ${endpointId}. ` +
    `To continue, set allowRestart: true (or \`pulumi config set ${namespace}:allowRestart true\`), or apply the change while the compute is idle.`
  );
}

function describeState(live: ReadEndpoint): string {
  if (live === 'unreadable') return 'its state could not be read';
  if (live.disabled && !isActive(live)) return 'it is disabled now';
  return live.pending_state === 'active' ? 'it is starting now' : `it is ${live.current_state} now`;
}

/** Sizes with their values, the others by name only: a value may be a secret. */
function describeValues(names: readonly InputName[], planned: PlannedChange): string {
  const [sizes, parts] = partition(names, isSizeName);
  const described: string[] = sizes.length > 0 ? [describeSizes(sizes, planned), ...parts] : parts;
  // If an earlier run sent these sizes and its operation failed, the service already reports them.
  const isRepeated = sizes.length === names.length && sizes.every((name) => isReported(name, planned));
  return `${isRepeated ? 'applying again' : 'a change of'} ${described.join(' and ')}`;
}

function isReported(name: InputName, { outputs, inputs }: PlannedChange): boolean {
  return inputs[name] === outputs[name];
}

function describeSizes(names: readonly InputName[], { outputs, inputs, secretNames }: PlannedChange): string {
  // Each bound limits the other one.
  if (secretNames?.some(isSizeName)) return names.join(' and ');
  const { autoscalingLimitMinCu: oldMin = 0, autoscalingLimitMaxCu: oldMax = 0 } = outputs;
  const { autoscalingLimitMinCu: newMin = oldMin, autoscalingLimitMaxCu: newMax = oldMax } = inputs;
  const before = describeSizeRange(oldMin, oldMax);
  const after = isUnknown([newMin, newMax]) ? 'a size not known yet' : describeSizeRange(newMin, newMax);
  return `${names.join(' and ')} (${before === after ? after : `${before} => ${after}`})`;
}

function describeRetries(unfinished: readonly UnsettledOperation[]): string {
  const isDisruptive = unfinished.some(isSuspension);
  return isDisruptive ? 'any that failed since (this may drop connections)' : 'any that failed since';
}

/** What an earlier run left unfinished, and what the next one does about it. */
export function describeUnsettled({ unsettledOperations = [], __unapplied = [] }: EndpointOutputs): string {
  const failed = unsettledOperations.filter(isFailed);
  const unfinished = unsettledOperations.filter(isUnfinished);
  const unapplied = without(__unapplied, 'adopt');
  const named = (operations: readonly UnsettledOperation[]) =>
    operations.map(({ action, id, status }) => `${action} ${id} (${status})`).join(', ');
  const parts = [
    ...(unfinished.length > 0
      ? [`\`pulumi up\` keeps waiting for ${named(unfinished)}, and retries ${describeRetries(unfinished)}`]
      : []),
    ...(failed.length > 0 ? [`\`pulumi up\` retries what failed: ${named(failed)}`] : []),
    ...(unapplied.length > 0 ? [`\`pulumi up\` applies ${unapplied.join(', ')} again`] : []),
    ...(__unapplied.includes('adopt') ? ['`pulumi up` looks for what the failed create has left'] : []),
  ];
  return `the last update did not finish: ${parts.join('; ')}`;
}
