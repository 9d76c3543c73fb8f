import { difference, partition } from 'lodash';
import type { SettingNames } from '../config/setting-names';
import type { Endpoint } from '../control-api/wire-types';
import { argumentTable, type ChangeEffect } from '../endpoint/argument-effects';
import { describeSizeRange, isSizeName } from '../endpoint/compute-size';
import { matchesDesired } from '../endpoint/drift';
import type { EndpointInputs, InputName } from '../endpoint/endpoint-inputs';
import type { EndpointOutputs } from '../endpoint/endpoint-state';
import { isUnknown } from '../lifecycle/input-values';
import { isSuspension } from '../lifecycle/ledger';
import { isUp, type PlannedStep } from '../lifecycle/plan';
import type { UnsettledOperation } from '../lifecycle/resource-state';
import { isUnfinished } from '../operations/operation-outcome';

/** The endpoint as it is now; or why that is not known. */
export type LiveEndpoint = Endpoint | 'gone' | 'unreadable';

/** What is about to be sent. */
export interface PlannedChange {
  /** The arguments that the program asks for, or that an earlier run has left to be sent. */
  readonly changes: readonly InputName[];
  /** The steps of the run, given the live endpoint. Undefined where that can't be read. */
  readonly steps: readonly PlannedStep[] | undefined;
  /** Whether an earlier run has left a suspension to be repeated. @default false */
  readonly owesSuspension?: boolean;
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

/** The changes that drop the connections of an active compute. */
export function findDisruptive(changes: readonly InputName[], inputs: EndpointInputs): InputName[] {
  return changes.filter((name) => {
    // Enabling an endpoint drops nothing: no client is connected to it.
    if (name === 'disabled') return inputs.disabled === true || isUnknown(inputs.disabled);
    return ['restart', 'disconnect', 'replace'].includes(argumentTable[name].effect);
  });
}

/** Puts the plan into words, given the endpoint's live state. A state that can't be read counts as active. */
export function describeImpact(planned: PlannedChange, live: LiveEndpoint): ChangeImpact {
  const { changes, inputs, steps } = planned;
  if (live === 'gone') return noImpact;
  if (planned.goesWithBranch)
    return { ...noImpact, sentences: [`${goesWithBranch} (${describeState(live)})`], drops: isActive(live) };
  const disruptive = findDisruptive(changes, inputs);
  const byEffect = (effect: ChangeEffect) =>
    disruptive.filter((name) => argumentTable[name].effect === effect);
  const [replacing, restarting] = [byEffect('replace'), byEffect('restart')];
  const dropping = steps?.filter(({ drops }) => drops);
  const isApplied = dropping?.length === 0 && restarting.length > 0 && isReportedBy(live, restarting, inputs);
  // All bounds and triggers cause one restart; a replacement supersedes everything else.
  const disconnecting = byEffect('disconnect');
  const groups =
    replacing.length > 0
      ? [replacing]
      : [isApplied ? [] : restarting, ...disconnecting.map((name) => [name])];
  // After a stop or a move the compute is down: nothing restarts.
  const isDown = disconnecting.some((name) => !isUnknown(inputs[name]));
  const sentences = groups
    .filter(isNotEmpty)
    .map((names) => `${describeValues(names, planned)} ${describeEffect(names, inputs, live, isDown)}`);
  if (isApplied && replacing.length === 0)
    sentences.unshift(`${describeValues(restarting, planned)} is applied already: nothing restarts`);
  const isRepeated = dropping
    ? dropping.some(({ step }) => step === 'suspend')
    : planned.owesSuspension === true;
  if (isRepeated && sentences.length === 0)
    sentences.push(describeRepeated(live, steps?.some(({ step }) => step === 'start') === true));
  const mayDrop = isActive(live) ? disruptive.filter((name) => isUnknown(inputs[name])) : [];
  const isReplacing = replacing.some((name) => !isUnknown(inputs[name]));
  const drops = dropping ? dropping.length > 0 : isRepeated || difference(disruptive, mayDrop).length > 0;
  const isRestart = restarting.length > 0 && replacing.length === 0 && !isDown;
  const restarts = isRestart && isActive(live) && !isApplied;
  return { sentences, drops: drops || (isReplacing && isActive(live)), restarts, mayDrop };
}

function isReportedBy(live: ReadEndpoint, names: readonly InputName[], inputs: EndpointInputs): boolean {
  if (live === 'unreadable') return false;
  return names.every((name) => argumentTable[name].read && matchesDesired(live, inputs, name));
}

type SomeNames = [InputName, ...InputName[]];
type ReadEndpoint = Exclude<LiveEndpoint, 'gone'>;

function isNotEmpty(names: InputName[]): names is SomeNames {
  return names.length > 0;
}

function isActive(live: ReadEndpoint): boolean {
  return live === 'unreadable' || isUp(live);
}

function describeRepeated(live: ReadEndpoint, isRestart: boolean): string {
  const consequence = isRestart
    ? 'repeating an unfinished restart restarts the compute and drops its connections'
    : `repeating an unfinished suspension suspends the compute: ${drops}`;
  return `${consequence} (${describeState(live)})`;
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

function describeEffect(
  names: SomeNames,
  inputs: EndpointInputs,
  live: ReadEndpoint,
  isDown: boolean,
): string {
  const [name] = names;
  const { effect } = argumentTable[name];
  const disconnection = name === 'branchId' ? 'move' : 'stop';
  const sentences = effectSentences[effect === 'replace' || effect === 'restart' ? effect : disconnection];
  const state = isActive(live) ? 'active' : 'inactive';
  const isKnown = names.some((each) => !isUnknown(inputs[each]));
  if (isDown && effect === 'restart') return 'takes effect when the compute starts next';
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

/** What an earlier run left unfinished, and what the next one does about it. */
export function describeUnsettled(outputs: EndpointOutputs): string {
  const { unsettledOperations = [], __ledger } = outputs;
  const due = __ledger?.due ?? outputs.__unapplied ?? [];
  const [unfinished, failed] = partition(unsettledOperations, isUnfinished);
  const named = (operations: readonly UnsettledOperation[]) =>
    operations.map(({ action, id, status }) => `${action} ${id} (${status})`).join(', ');
  const retries = `any that failed since${unfinished.some(isSuspension) ? ' (this may drop connections)' : ''}`;
  const isStarting = unsettledOperations.length === 0 && __ledger?.owed?.includes('start') === true;
  const isUncertain = __ledger?.past !== undefined || outputs.__unapplied?.includes('adopt') === true;
  const parts = [
    ...(unfinished.length > 0
      ? [`\`pulumi up\` keeps waiting for ${named(unfinished)}, and retries ${retries}`]
      : []),
    ...(failed.length > 0 ? [`\`pulumi up\` retries what failed: ${named(failed)}`] : []),
    ...(due.length > 0 ? [`\`pulumi up\` applies ${due.join(', ')} again`] : []),
    ...(isStarting ? ['`pulumi up` starts the compute'] : []),
    ...(isUncertain ? ['`pulumi up` looks for the operations that it had started'] : []),
  ];
  return `the last update did not finish: ${parts.join('; ')}`;
}
