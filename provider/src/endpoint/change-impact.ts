import { difference, intersection, partition, uniq } from 'lodash';
import type { SettingNames } from '../config/setting-names';
import type { Endpoint } from '../control-api/wire-types';
import { isUnknown } from '../lifecycle/input-values';
import { isConfig, isSuspension, paymentOf } from '../lifecycle/ledger';
import type { PlannedStep } from '../lifecycle/plan';
import { appliedLater } from '../lifecycle/resource-errors';
import type { Resource } from '../lifecycle/resource-identity';
import type { UnsettledOperation } from '../lifecycle/resource-state';
import { isUp } from '../lifecycle/situation';
import { isFailed, isUnfinished, outcomeOf } from '../operations/operation-outcome';
import { isSizeName } from './compute-size';
import { endpointArguments } from './endpoint-arguments';
import type { EndpointInputs, InputName } from './endpoint-inputs';
import type { EndpointOutputs } from './endpoint-state';

/** What is about to be done. */
export interface PlannedChange {
  /** The arguments that the program changes. */
  readonly changes: readonly InputName[];
  /** The endpoint as it is now. */
  readonly live: Endpoint;
  /** The steps of the run on it. */
  readonly steps: readonly PlannedStep[];
  readonly inputs: EndpointInputs;
  /** Of the resource in state; its secret arguments also as they will be. @default a resource that is new */
  readonly was?: Pick<Resource, 'secretNames' | 'retainsOnDelete'> | undefined;
  /** Why the endpoint is replaced, if no argument is the reason. */
  readonly replacedBecause?: string | undefined;
}

/** What a change means for connected clients, reported before it is applied. */
export interface ChangeImpact {
  /** What is certain in one sentence, and what depends on a value that is not known yet in another. */
  readonly sentences: readonly string[];
  /** Whether connections drop, given the compute's current state. */
  readonly drops: boolean;
  /** Whether the change restarts an active compute, or may do so. */
  readonly restarts: boolean;
  /** The arguments that may drop connections: their values are not known yet. */
  readonly mayDrop: readonly InputName[];
}

/** The impact of a change that is not disruptive in any state of the compute. */
export const noImpact: ChangeImpact = { sentences: [], drops: false, restarts: false, mayDrop: [] };

/** What drops the connections of an active compute, in words. */
const verbs = {
  replace: 'replaces the endpoint, changes its host',
  move: 'moves the endpoint',
  stop: 'stops the compute',
  restart: 'restarts the compute',
} as const;

/** The same on a compute that is down. */
const verbsWhenDown = {
  ...verbs,
  stop: 'disables the endpoint',
  restart: 'takes effect at the next start',
} as const;

type Disruption = keyof typeof verbs;

function toDisruptions(effects: readonly string[]): Disruption[] {
  return intersection(Object.keys(verbs), effects) as Disruption[]; // Object.keys forgets the names of its argument.
}

function findDisruptions(names: readonly InputName[]): Disruption[] {
  return toDisruptions(names.map((name) => endpointArguments.row(name).effect));
}

/** The changes that drop the connections of an active compute. */
export function findDisruptive(changes: readonly InputName[], inputs: EndpointInputs): InputName[] {
  return changes.filter((name) => {
    // Enabling an endpoint drops nothing: no client is connected to it.
    if (name === 'disabled') return inputs.disabled === true || isUnknown(inputs.disabled);
    return findDisruptions([name]).length > 0;
  });
}

/** Puts the plan into words. */
export function describeImpact(planned: PlannedChange): ChangeImpact {
  const { changes, live, inputs, replacedBecause } = planned;
  const [unknown, known] = partition(findDisruptive(changes, inputs), (name) => isUnknown(inputs[name]));
  const replacing = intersection(known, endpointArguments.replacing);
  // A replacement supersedes everything else.
  if (replacedBecause !== undefined || replacing.length > 0) {
    const cause = replacedBecause ?? describeNames(replacing, planned);
    const left = `leaves endpoint ${live.id} at the service (retainOnDelete), and creates one with another host`;
    if (planned.was?.retainsOnDelete) return { ...noImpact, sentences: [`${left}: ${cause}`] };
    const sentence = `${describe(['replace'], live)}: ${cause}`;
    return { ...noImpact, sentences: [sentence], drops: isUp(live) };
  }
  const certain = describeSteps(planned);
  if (unknown.length === 0) return certain;
  const possible = findDisruptions(unknown);
  const sentence = `${describe(possible, live)}, unless the value stays the same: ${describeNames(unknown, planned)}`;
  return {
    sentences: [...certain.sentences, sentence],
    drops: certain.drops,
    restarts: certain.restarts || (possible.includes('restart') && isUp(live)),
    mayDrop: isUp(live) ? unknown : [],
  };
}

/** All that the run does in one sentence: the compute goes down once. */
function describeSteps(planned: PlannedChange): ChangeImpact {
  const { live, steps } = planned;
  const dropping = steps.filter(({ drops }) => drops);
  const drops = dropping.length > 0;
  const told = drops
    ? dropping
    : steps.filter(({ names, reasons }) => names.length > 0 && reasons.length > 0);
  if (told.length === 0) return noImpact;
  const names = uniq(told.flatMap((step) => step.names)).filter(endpointArguments.has);
  const cause = describeNames(findDisruptive(names, planned.inputs), planned);
  const done = toDisruptions(told.flatMap(({ reasons }) => reasons));
  const isApplied = !drops && isUp(live);
  const consequence = isApplied ? 'is applied already, no further restart' : describe(done, live);
  const restarts = drops && done.includes('restart');
  return { sentences: [`${consequence}: ${cause}`], drops, restarts, mayDrop: [] };
}

/** The consequence, which comes first in a sentence. */
function describe(done: readonly Disruption[], live: Endpoint): string {
  const does = done.map((each) => (isUp(live) ? verbs : verbsWhenDown)[each]);
  const drops = isUp(live) ? 'drops connections' : 'no connections to drop';
  return `${[...does, drops].join(', ')} (${describeState(live)})`;
}

/**
 * The message for a change that allowRestart forbids.
 * @param endpoint its id, and the resource: `--diff` shows no other name
 * @param sent what the update changed before the gate stopped it: an idle compute may wake in between
 */
export function describeRefusal(
  endpoint: string,
  { sentences }: ChangeImpact,
  { allowRestart }: EndpointInputs,
  { restarts }: SettingNames,
  sent: readonly string[] = [],
): string {
  // The resource's own setting overrides the stack's.
  const orElse = allowRestart === false ? '' : ` (or ${restarts})`;
  const untouched =
    sent.length > 0
      ? `Of endpoint ${endpoint}, this update has changed ${sent.join(', ')}.`
      : `Nothing was changed on endpoint ${endpoint}.`;
  return (
    `allowRestart is false, and this ${sentences.join('; ')}. ${untouched} ` +
    `To continue, set allowRestart: true${orElse}, or apply the change while the compute is idle.`
  );
}

function describeState(live: Endpoint): string {
  if (live.disabled && !isUp(live)) return 'disabled now';
  return live.pending_state === 'active' ? 'starting now' : `${live.current_state} now`;
}

/** Sizes and the branch with their values, the others by name only: a value may be a secret. */
function describeNames(names: readonly InputName[], planned: PlannedChange): string {
  const secretNames = planned.was?.secretNames ?? [];
  const isSecret = (name: string) =>
    // Each bound limits the other one, so a secret one hides both.
    isSizeName(name) ? secretNames.some(isSizeName) : secretNames.includes(name);
  const words = names.map((name) => (isSecret(name) ? name : describeValue(name, planned)));
  return words.join(', ') || 'it repeats what the last update left unfinished';
}

function describeValue(name: InputName, { live, inputs }: PlannedChange): string {
  type Shown = readonly [what: string, before: unknown, unit: string, unknown: string];
  const shown: Partial<Record<InputName, Shown>> = {
    autoscalingLimitMinCu: ['min', live.autoscaling_limit_min_cu, ' CU', 'a size'],
    autoscalingLimitMaxCu: ['max', live.autoscaling_limit_max_cu, ' CU', 'a size'],
    branchId: ['branch', live.branch_id, '', 'a branch'],
  };
  const [what, before, unit, noun] = shown[name] ?? [];
  if (what === undefined) return name;
  const after = inputs[name];
  const now = isUnknown(after) ? `${noun} not known yet` : `${after}${unit}`;
  // If an earlier run sent it and its operation failed, the service already reports it.
  return before === after ? `${what} ${now}` : `${what} ${before} => ${now}`;
}

/** The pending changes that the next run waits for, retries or sends again. */
export function describeUnsettled({
  unsettledOperations = [],
  __ledger,
  __unapplied,
}: EndpointOutputs): string {
  const mayDrop = unsettledOperations.some((each) => isSuspension(each) && isUnfinished(each));
  const open = unsettledOperations.filter((each) => outcomeOf(each) !== 'succeeded');
  const operations = open.map(({ action, id, status }) => `${action} ${id} (${status})`);
  const due = __ledger?.due ?? __unapplied?.filter((name) => name !== 'adopt') ?? [];
  // What is owed shows in an operation, unless that has never been requested.
  const unrequested = difference(
    __ledger?.owed,
    unsettledOperations.flatMap(({ action }) => paymentOf(action)),
  );
  const left = [...due, ...operations, ...unrequested];
  const isAppliedLater = (each: UnsettledOperation) => isConfig(each) && isFailed(each);
  const isConfigAlone = open.length > 0 && open.every(isAppliedLater);
  if (isConfigAlone && unrequested.length === 0 && !__ledger?.past)
    return `the last update did not finish, ${operations.join(', ')}: ${appliedLater}`;
  const what = left.join(', ') || 'the operations that it had started';
  return `the last update did not finish: \`pulumi up\` resumes ${what}${mayDrop ? ', which may drop connections' : ''}`;
}
