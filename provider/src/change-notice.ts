import { partition } from 'lodash';
import { argumentTable } from './argument-table';
import { describeSizeRange } from './compute-size';
import type { Endpoint } from './control-api/wire-types';
import { type EndpointInputs, type InputName, isUnknown } from './endpoint-inputs';
import type { EndpointOutputs } from './endpoint-state';

/** What a change means for those who are connected, told before it is applied. */
export interface ChangeNotice {
  /** One sentence for each thing that happens. */
  readonly sentences: readonly string[];
  /** The arguments that make connections drop, as the compute stands now. */
  readonly dropping: readonly InputName[];
  /** The arguments that may do so: their values are not known yet. */
  readonly mayDrop: readonly InputName[];
}

/** The arguments among the changes that can drop connections: only for these is the live state worth a request. */
export function findDisruptive(changes: readonly InputName[], wanted: EndpointInputs): InputName[] {
  return changes.filter((name) => {
    // To enable an endpoint again drops nothing: there is nobody connected to it.
    if (name === 'disabled') return wanted.disabled === true || isUnknown(wanted.disabled);
    return ['restart', 'disconnect', 'replace'].includes(argumentTable[name].effect);
  });
}

/** The live state decides what a change means now. A state that can't be read counts as active. */
export function describeChange(
  changes: readonly InputName[],
  outputs: EndpointOutputs,
  wanted: EndpointInputs,
  live: Endpoint | undefined,
): ChangeNotice {
  const disruptive = findDisruptive(changes, wanted);
  const replacing = disruptive.filter((name) => argumentTable[name].effect === 'replace');
  const restarting = disruptive.filter((name) => argumentTable[name].effect === 'restart');
  const disconnecting = disruptive.filter((name) => argumentTable[name].effect === 'disconnect');
  // All bounds and triggers make one restart; a replacement makes everything else pointless.
  const groups = replacing.length > 0 ? [replacing] : [restarting, ...disconnecting.map((name) => [name])];
  const sentences = groups
    .filter(isNotEmpty)
    .map((names) => `${describeValues(names, outputs, wanted)} ${describeEffect(names, wanted, live)}`);
  const isNotKnown = (name: InputName) => isUnknown(wanted[name]);
  const [mayDrop, dropping] = partition(isActive(live) ? disruptive : [], isNotKnown);
  return { sentences, dropping, mayDrop };
}

type SomeNames = [InputName, ...InputName[]];

function isNotEmpty(names: InputName[]): names is SomeNames {
  return names.length > 0;
}

/** A compute that is starting is active by the time that a change arrives. */
function isActive(live: Endpoint | undefined): boolean {
  if (!live) return true;
  return !live.disabled && (live.current_state === 'active' || live.pending_state === 'active');
}

function describeEffect(names: SomeNames, wanted: EndpointInputs, live: Endpoint | undefined): string {
  const [name] = names;
  const isKnown = names.some((each) => !isUnknown(wanted[each]));
  const may = isKnown ? '' : 'may ';
  const s = isKnown ? 's' : '';
  const state = describeState(live);
  switch (argumentTable[name].effect) {
    case 'replace':
      return `${may}replace${s} the endpoint: its host name changes, and clients have to connect to the new one (${state})`;
    case 'restart':
      if (isActive(live)) return `${may}restart${s} the compute and drop${s} its connections (${state})`;
      return `take${s} effect when the compute starts next; there are no connections to drop (${state})`;
    default: {
      const does = name === 'branchId' ? `move${s} the endpoint` : `stop${s} the compute`;
      const consequence = isActive(live) ? 'its connections drop' : 'there are no connections to drop';
      return `${may}${does}: ${consequence} (${state})`;
    }
  }
}

/** The words for a change that allowRestart forbids. */
export function describeRefusal(endpointId: string, { sentences, dropping }: ChangeNotice): string {
  return (
    `allowRestart is false, and ${sentences.join('; ')}. Nothing was changed on endpoint ${endpointId}. ` +
    `To go on, set allowRestart: true (or \`pulumi config set postgresCompute:allowRestart true\`), or apply the change of ${dropping.join(', ')} while the compute is idle.`
  );
}

function describeState(live: Endpoint | undefined): string {
  if (!live) return 'its state could not be read';
  if (live.disabled) return 'it is disabled now';
  return live.pending_state === 'active' ? 'it is starting now' : `it is ${live.current_state} now`;
}

function describeValues(
  names: readonly InputName[],
  outputs: EndpointOutputs,
  wanted: EndpointInputs,
): string {
  const isSize = (name: InputName) => name.startsWith('autoscalingLimit');
  const parts = names.filter((name) => !isSize(name)).map((name) => describeValue(name, outputs, wanted));
  const sizes = names.filter(isSize);
  if (sizes.length > 0) parts.unshift(describeSizes(sizes, outputs, wanted));
  return `a change of ${parts.join(' and ')}`;
}

function describeSizes(
  names: readonly InputName[],
  outputs: EndpointOutputs,
  wanted: EndpointInputs,
): string {
  const { autoscalingLimitMinCu: oldMin = 0, autoscalingLimitMaxCu: oldMax = 0 } = outputs;
  const { autoscalingLimitMinCu: newMin = oldMin, autoscalingLimitMaxCu: newMax = oldMax } = wanted;
  const after = isUnknown([newMin, newMax]) ? 'a size not known yet' : describeSizeRange(newMin, newMax);
  return `${names.join(' and ')} (${describeSizeRange(oldMin, oldMax)} => ${after})`;
}

function describeValue(name: InputName, outputs: EndpointOutputs, wanted: EndpointInputs): string {
  if (name === 'restartTriggers') return name;
  const value = isUnknown(wanted[name]) ? 'a value not known yet' : String(wanted[name]);
  return `${name} (${String(outputs[name] ?? 'none')} => ${value})`;
}

/** What an earlier run left, and that the next one takes it up. */
export function describeUnsettled({ unsettledOperations = [] }: EndpointOutputs): string {
  const named = unsettledOperations.map(({ action, id, status }) => `${action} ${id} ${status}`).join(', ');
  return `the last update did not end${named ? ` (${named})` : ''}; \`pulumi up\` takes it up again`;
}
