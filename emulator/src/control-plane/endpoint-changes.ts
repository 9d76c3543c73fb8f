import { isDeepStrictEqual } from 'node:util';
import type { EndpointRecord } from '../records/endpoint-record';
import type { Step } from '../records/operation-record';
import type { EndpointState } from '../records/wire-types';
import type { EndpointAttributes } from '../requests/endpoint-attributes';
import { applyConfigStep, restartSteps, suspendStep } from './endpoint-steps';

/**
 * What a change of an attribute asks of the compute: `record` nothing, `apply` a new configuration without a restart,
 * `restart` a restart that drops the connections, `move` another branch, `disable` a suspension.
 */
type Effect = 'record' | 'apply' | 'restart' | 'move' | 'disable';

type ChangeableAttribute = Exclude<keyof EndpointAttributes, 'type' | 'region_id'>;

/** Source: service-api.txt, sections 3.1 ("Behaviour on changes") and 4.5. */
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

// Object.keys() forgets the key type that the table above has.
const CHANGEABLE = Object.keys(EFFECTS) as ChangeableAttribute[];

/** Writes the requested attributes into the record and returns the effects of those that differ. */
export function applyAttributes(endpoint: EndpointRecord, requested: EndpointAttributes): Set<Effect> {
  const { wire } = endpoint;
  // Within settings each of its parts is replaced as a whole; parts that are not named stay.
  const settings = requested.settings === undefined ? undefined : { ...wire.settings, ...requested.settings };
  const target: EndpointAttributes = settings === undefined ? requested : { ...requested, settings };
  const effects = new Set<Effect>();
  for (const attribute of CHANGEABLE) {
    const value = target[attribute];
    if (value === undefined || isDeepStrictEqual(value, wire[attribute])) continue;
    effects.add(EFFECTS[attribute]);
    Object.assign(wire, { [attribute]: value });
  }
  return effects;
}

/** The operations of an update, for a compute that is in (or on its way to) the given state. */
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
  // The document shows suspend_compute after a move even for an endpoint that was idle.
  if (effects.has('move') || (isUp && isDisabledNow)) steps.push(suspendStep(endpoint));
  else if (isUp && effects.has('restart')) steps.push(...restartSteps(endpoint));
  return steps;
}
