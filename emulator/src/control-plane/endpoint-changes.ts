import { isDeepStrictEqual } from 'node:util';
import type { EndpointRecord, Step } from '../records/records';
import type { EndpointState } from '../records/wire-types';
import type { EndpointAttributes } from '../requests/endpoint-attributes';

/**
 * What a change of an attribute does to the compute: `record` nothing, `apply` applies the configuration without a
 * restart, `restart` restarts it and drops its connections, `move` moves it to another branch, `disable` suspends it.
 */
type Effect = 'record' | 'apply' | 'restart' | 'move' | 'disable';

type ChangeableAttribute = Exclude<keyof EndpointAttributes, 'type' | 'region_id'>;

/** Source: docs/service.md, "What a change does". */
const EFFECTS: Readonly<Record<ChangeableAttribute, Effect>> = {
  name: 'record',
  settings: 'apply',
  pooler_enabled: 'apply',
  pooler_mode: 'apply',
  passwordless_access: 'apply',
  suspend_timeout_seconds: 'apply',
  autoscaling_limit_min_cu: 'restart',
  autoscaling_limit_max_cu: 'restart',
  provisioner: 'restart',
  branch_id: 'move',
  disabled: 'disable',
};

// Object.keys() returns string[], not the key type of the table.
const CHANGEABLE = Object.keys(EFFECTS) as ChangeableAttribute[];

/** Sets the requested attributes in the record. Returns the effects of those that changed. */
export function applyAttributes(endpoint: EndpointRecord, requested: EndpointAttributes): Set<Effect> {
  const { wire } = endpoint;
  // Each part of settings is replaced as a whole; omitted parts are kept.
  const settings = requested.settings === undefined ? undefined : { ...wire.settings, ...requested.settings };
  const target: EndpointAttributes = settings === undefined ? requested : { ...requested, settings };
  const effects = new Set<Effect>();
  // Postgres loads them at its start.
  if (!isDeepStrictEqual(settings?.preload_libraries, wire.settings.preload_libraries) && settings)
    effects.add('restart');
  for (const attribute of CHANGEABLE) {
    const value = target[attribute];
    if (value === undefined || isDeepStrictEqual(value, wire[attribute])) continue;
    effects.add(EFFECTS[attribute]);
    Object.assign(wire, { [attribute]: value });
  }
  return effects;
}

/** The operations of an update, for a compute that is in, or moving to, the given state. */
export function planUpdate(
  endpoint: EndpointRecord,
  effects: ReadonlySet<Effect>,
  targetState: EndpointState,
): Step[] {
  const isUp = targetState !== 'idle';
  const steps: Step[] = [];
  if (effects.has('apply') || effects.has('restart') || effects.has('move')) {
    steps.push(applyConfigStep(endpoint));
  }
  const isDisabledNow = effects.has('disable') && endpoint.wire.disabled;
  // By the service's rules, a move starts suspend_compute even for an idle endpoint.
  if (effects.has('move') || (isUp && isDisabledNow)) steps.push(suspendStep(endpoint));
  else if (isUp && effects.has('restart')) steps.push(...restartSteps(endpoint));
  return steps;
}

export function startStep(endpoint: EndpointRecord): Step {
  return { ...subjectOf(endpoint), action: 'start_compute', movesTo: 'active' };
}

export function suspendStep(
  endpoint: EndpointRecord,
  meaning: Pick<Step, 'isAutosuspend' | 'purpose'> = {},
): Step {
  return { ...subjectOf(endpoint), action: 'suspend_compute', movesTo: 'idle', ...meaning };
}

export function restartSteps(endpoint: EndpointRecord): Step[] {
  return [suspendStep(endpoint, { purpose: 'endpoint-restart' }), startStep(endpoint)];
}

export function applyConfigStep(endpoint: EndpointRecord): Step {
  return { ...subjectOf(endpoint), action: 'apply_config' };
}

function subjectOf({ wire }: EndpointRecord): Pick<Step, 'branchId' | 'endpointId'> {
  return { branchId: wire.branch_id, endpointId: wire.id };
}
